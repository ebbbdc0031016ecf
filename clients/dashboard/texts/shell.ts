export const shellTexts = {
  product: "Quittance",
  test: {
    word: "TEST",
    sentence: "Simulated money.",
  },
  liveWord: "LIVE",
  book: { Test: "Test book", Live: "Live book" },
  otherBook: { Test: "Switch to the live book", Live: "Switch to the test book" },
  noOtherBook: { Test: "You have no role in the live book", Live: "You have no role in the test book" },
  away: "What you see is as it was at",
  awayDetail:
    "A part of Quittance does not answer. The page tries again by itself; until it succeeds, nothing can be decided here.",
  tooManyPages: "Too many pages are open.",
  tooManyPagesDetail:
    "One person can have five pages open that follow the book. Close one of the others, and this page follows it again. Until then, nothing can be decided here.",
  skip: "Skip to the content",
  mainNavigation: "Main",
  menu: "Menu",
  signOut: "Sign out",
  byApiKey: "API key",
  navigation: {
    approvals: "Approvals",
    orders: "Orders",
    counterparties: "Counterparties",
    inbound: "Inbound",
    obligations: "Obligations",
    books: "Books",
    ledger: "Ledger",
    virtualAccounts: "Virtual accounts",
    reconciliation: "Reconciliation",
    developers: "Developers",
    webhooks: "Webhooks",
    simulator: "Simulator",
    controls: "Controls",
    policy: "Approval policy",
    apiKeys: "API keys",
    requests: "Requests",
    people: "People",
    auditLog: "Audit log",
  },
  search: {
    label: "Find an order, id, amount…",
    keys: "Ctrl K",
    nothing: "Nothing found.",
    looking: "Looking…",
    hint: "Search by id, reference, exact amount, or the start of a name or payee.",
    found: "Found",
    unavailable: (kinds: string) => `These could not be searched: ${kinds}. Searching again…`,
    kinds: {
      PaymentOrder: "Payment order",
      Counterparty: "Counterparty",
      LedgerAccount: "Account",
      VirtualAccount: "Virtual account",
      InboundPayment: "Inbound payment",
      Obligation: "Obligation",
      LedgerTransaction: "Ledger transaction",
    },
  },
  proof: {
    proven: "Books prove",
    auditing: "Audit under way",
    late: "Audit is late",
    frozen: "Books are frozen",
    empty: "No journals yet",
    audited: (sequence: string) =>
      `The auditor has checked every journal up to #${sequence}: debits equal credits, and nothing was changed.`,
  },
  frozen: {
    title: "This book is frozen.",
    since: "Since",
    closed:
      "New orders, submissions and postings are refused, and no payment is handed to a rail until the book is opened again.",
    operator:
      "You can read everything. The operator finds the fault with npm run prove, and opens the book again with npm run books.",
  },
  keyboard: {
    menu: "Keyboard…",
    title: "Keyboard",
    single: "Use single keys",
    singleHint:
      "Switch this off if you speak to your computer, or press keys by accident. Ctrl K works without it. This browser remembers it.",
    everywhere: "Everywhere",
    approvals: "Approvals",
    close: "Close",
    search: "search",
    help: "this help",
    next: "next",
    previous: "previous",
    select: "select",
    approve: "approve",
    deny: "deny",
    open: "open order",
  },
} as const;

export const signInTexts = {
  title: "Sign in to Quittance",
  email: "Email",
  password: "Password",
  submit: "Sign in",
  asking: "Signing in…",
  demoTitle: "Sign in as",
  demoNote: "These people exist in this sandbox only.",
  with: (name: string) => `Continue with ${name}`,
  openIdFailed:
    "The sign-in at your company did not work. Try again, or ask an admin whether you are invited with this email.",
  noRole: "no role in this book",
  unavailable: "No way to sign in is set up here.",
} as const;

export const signOutTexts = {
  title: "You are still signed in",
  text: "The sign-out failed, so whoever uses this browser next could go on in your name. Try again before you leave.",
  stay: "Stay signed in",
} as const;

export const failureTexts = {
  error: "That did not work",
  unreachable: {
    title: "Quittance can't be reached",
    detail: "Quittance did not answer. Check your connection, and try again.",
  },
  outdated: {
    title: "A part of this page could not be loaded",
    detail: "Quittance may have been updated since you opened it. Reload the page.",
    reload: "Reload",
  },
  notConfirmed: {
    title: "Not confirmed",
    detail:
      "No passkey of yours confirmed it, so nothing was done. Try again, on a device that has your passkey.",
  },
  noPasskeysHere: {
    title: "This browser can't use passkeys",
    detail: "Nothing was done. Update the browser, or use another one.",
  },
  changed: {
    title: "It has changed since it was shown",
    detail:
      "It changed before your request arrived, so nothing was done. Check what it is now, and try again.",
  },
  notAdded: {
    title: "No passkey was added",
    detail: "Your device made none: you cancelled, or it already has a passkey of yours.",
  },
  bug: { title: "This page failed", detail: "It is our fault. Load the page again." },
  notFound: {
    title: "There is no such page",
    detail: "The address is wrong, or it belongs to another book.",
  },
  forbidden: { title: "You may not see this" },
  requestId: "Request",
  tryAgain: "Try again",
  home: "Go to approvals",
  loading: "Loading",
} as const;
