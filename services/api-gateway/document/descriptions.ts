/** What an operation's summary leaves open, by its id. Every operation has an entry; a test names those without. */
export const descriptions: Readonly<Record<string, string>> = {
  createPaymentOrder:
    "One shape for every rail. Name your account by `ledgerAccountName` or `ledgerAccountId`, and the counterparty by `counterpartyId` or by its details. The answer comes as soon as the order is stored; whether the account can cover it is the ledger's decision a moment later (`Failed` with `insufficient_funds`). `Prefer: wait=5` waits for that.",
  previewPaymentOrder:
    "Runs every control of a submission and says which approvals, cutoff, settlement date and balances would apply.",
  listPaymentOrders: "Filters combine; those that name a list of values may be repeated.",
  getPaymentOrder: "The order as it stands, with every status that it had.",
  updatePaymentOrder:
    "Drafts only: from submission on the fields are frozen (`order_frozen`), and another order has to be created.",
  submitPaymentOrder:
    "From here on every control counts: the rail's limits, the account's form, the basis of the figure, the policy's daily limit. Whoever submits is a maker.",
  approvePaymentOrder:
    "Whoever created, changed or submitted the order is its maker and can't approve it. Two keys of one principal count once. With the last approval that it needs, the order goes to its rail when its window is open.",
  denyPaymentOrder: "The order is Cancelled and its money free again, a moment later.",
  cancelPaymentOrder:
    "Works until the hand-off to the rail; then it is 409 `order_not_cancellable`. The money is free again when the order is Cancelled.",
  getApprovalPolicy: "Exactly the members that PUT takes.",
  putApprovalPolicy:
    "A policy that is nowhere looser than today's holds at once: 200. One that loosens any member waits for another principal: 202 with the proposal's id. It never lowers what a waiting order needs.",
  listPolicyProposals: "Open ones and those that were decided.",
  approvePolicyProposal:
    "The policy holds from then on. Needs another principal than the one that proposed it.",
  denyPolicyProposal: "The policy stays as it is.",
  createCounterparty:
    "At most one account per rail. Account numbers are sealed on arrival and shown by their last four.",
  listCounterparties: "Without a filter, all of them.",
  getCounterparty: "`ETag` carries its version, for `If-Match`.",
  replaceCounterparty:
    "What is left out is gone. With `If-Match` it is refused (412) when somebody else changed it meanwhile. Orders that were submitted keep the details that they were submitted with.",
  verifyCounterparty:
    "By another principal than the one that entered the bank details. In Test the answer comes at once: Verified, or Failed for the account number `500000`.",
  createLedgerAccount:
    "With `overdraft: Refused` it never goes below zero: an order that it can't cover fails with `insufficient_funds`.",
  listLedgerAccounts: "The tenant's own accounts; the chart behind them is not shown.",
  getLedgerAccount:
    "Available is posted minus pending, exactly, from one snapshot. With `asOf`, balances and `lastSequence` are those that the book had then: the same answer for ever. With `effectiveAsOf`, what had moved by the end of that day by all that is known now, backdated entries too; `lastSequence` says how far that goes. The rest of the account is as it is now.",
  listLedgerEntries:
    "The one list that is a bare array: `Link` carries the next page. Entries are never changed; a settlement, a release and a correction append opposite ones.",
  getLedgerProof:
    "Each journal's digest covers all that it says, and the chain covers every digest: keep a head hash, and what was recorded before it can't change unseen. An auditor inside the service goes through the journals as they come, and through the whole book once a day; a book that fails is Frozen at once: it can be read, writes get 503.",
  listLedgerJournals:
    "Everything that a verifier of your own needs, from the first journal to the head that the proof names. Digests are SHA-256 over the journal's canonical form, which docs/operate.md describes.",
  closeLedgerAccount:
    "Posted, pending and pending inbound must all be zero. What the bank still brings for it afterwards goes to Suspense.",
  createLedgerTransaction:
    "2 to 100 entries on your own accounts, debits equal to credits, written whole or not at all. `status: Pending` holds the money until `/post` or `/void`; a hold that an account with `overdraft: Refused` can't cover is refused.",
  listLedgerTransactions:
    "Everybody's: your own, and those of orders, inbound payments and obligations (`owner`). Filters combine.",
  getLedgerTransaction: "`journals` are its steps, in order; an account's entries name them by `sequence`.",
  postLedgerTransaction:
    "Its effective date stays, unless you send a later one; where a closed period has overtaken it, you must. One that belongs to an order, an inbound payment or an obligation moves by its owner alone (`transaction_owned`).",
  voidLedgerTransaction: "What it held is free again.",
  reverseLedgerTransaction:
    "Appends the opposite entries, dated now (as the transaction itself, where that is dated a little ahead), to the same transaction: it stays Posted, with `reversedAt`. Works below zero too, and once.",
  getBalances:
    "Totals and the comparison with settlement cash are over the whole book, whatever the page. `totals` adds your accounts' balances, each from its own normal side; `subLedgerCents` is all that the book owes: Debit-normal accounts count against it, and Suspense and the liabilities of obligations belong to it. What is owed and what is held differ by zero, or the service says so. With `asOf` or `effectiveAsOf`, all of it is that of the past; accounts that were opened after `asOf` are left out.",
  createReconciliation:
    "Runs come by themselves after each banking day's statement. In a sandbox whose rails answer at once, this asks the bank for one of everything up to now. One run per statement; it is `Reconciled` when the difference is 0 and nothing is unmatched, and then closes the time that it covers to manual transactions.",
  listReconciliations:
    "A day may have several: one per statement, and one that says `NotReconciled` where its statement was late. Without what they left open; read one for that.",
  getReconciliation:
    "What stands on one side only is carried from run to run until it is matched. Of each kind the oldest 500 are shown, and the counts say how many there are.",
  createBankStatementFault:
    "The bank's balance follows what it prints. What it printed stays printed: `correct` puts it right on a later statement.",
  listBankStatementFaults: "Those that were corrected too.",
  getBankStatementFault: "`statementId` names the statement that it was printed on.",
  correctBankStatementFault:
    "A line that was left out is printed at last; a line that was wrong is printed the other way round, and right. A fault that waits is dropped.",
  createObligation:
    "A draft: nothing is booked yet, and its lines may rest on Demo or Missing figures. `payeeCounterpartyId` can be set until it is remitted.",
  listObligations: "Without their accruals and payments; read one for those.",
  getObligation:
    "`outstandingCents` is the posted balance of its liability account, from the same snapshot as its status.",
  updateObligation:
    "A JSON merge patch (RFC 7396). Once it is fixed only `payeeCounterpartyId` can be set; figures are amended.",
  fixObligation:
    "Filed, so owed. A FuelTaxReturn is booked against Fuel tax expense, an OperatorSettlement against Operator settlement expense, any other against Obligation expense; each has a liability account of its own. A line that is not Actual is refused, named in `line`.",
  amendObligation:
    "An amended return, whole: what it adds to or takes from the liability is booked as one more accrual. Never below what is paid, and not while an order pays it.",
  remitObligation:
    "The only way to pay it. The order is made for exactly what is outstanding, to the payee's account on that rail, and passes controls, approvals and windows as every order. Completed relieves the obligation; a return, a failure or a cancel makes it payable again. A refusal of the order is the answer, and nothing remains of the try. Needs `orders:write`, for it makes a payment order.",
  createVirtualAccount:
    "Its ledger account is a Credit-normal one of your own, and open. The number is random and ends in a check digit; give it to one payer, and what comes in needs no reading.",
  listVirtualAccounts: "With their numbers, in full: keep `ledger:read` to those who may see them.",
  getVirtualAccount: "With its number, in full.",
  disableVirtualAccount:
    "Money that comes meanwhile is taken in all the same, and lies in Suspense. One that is Disabled stays so.",
  enableVirtualAccount: "What came meanwhile stays in Suspense: assign it.",
  closeVirtualAccount:
    "Nothing opens it again, and its number is never given out again. Money that still comes lies in Suspense.",
  listInboundPayments:
    "`status=Suspended` is what waits for you. A filter with an id that is not there finds nothing.",
  getInboundPayment: "`reason` says why it was not attributed; `assignment` what became of it.",
  assignInboundPayment:
    "Once, and only what is Suspended: Dr Suspense, Cr the account. Nothing is taken back by it: a mistake is corrected by a transaction of your own.",
  simulateInboundPayment:
    "The bank books it and tells the ledger, a moment later. The same `bankReference` with the same payment is told again and counted once; with another payment it is refused. A number that is not of this book is taken too, as a bank would: it lies in Suspense.",
  createWebhookEndpoint:
    "The endpoint keeps the shape of this version's events for ever. Keep `signingSecret`: it signs every delivery and is not shown again. Without `eventTypes` it gets the seven documented types.",
  listWebhookEndpoints: "Those of this tenant and mode.",
  getWebhookEndpoint: "`apiVersion` says which version's events it gets.",
  listWebhooks: "Without the bodies that receivers answered; read a delivery for those.",
  getWebhook: "Every attempt: when, how long, what was answered.",
  retryWebhook:
    "One more attempt, whatever became of the last: dead-lettered, or acknowledged and lost. Nothing more happens while one is under way.",
  createTestSink: "It records what it gets, and says which endpoint's secret verified it.",
  listTestSinkRequests: "Raw bytes and headers.",
  simulatePaymentOrder:
    "Before hand-off it is kept (`Kept`) and happens then; at the rail it happens at once (`Applied`). A code that rail and direction don't allow is refused by name, unless `force` is true.",
  createApiKey:
    "A key grants only scopes that its maker holds. One that reaches further (`orders:approve`, `policy:write`, `keys:write`, or another existing principal's name) is Pending and opens nothing until another principal approves its proposal.",
  listApiKeys: "Never the keys themselves: prefix and last four tell them apart.",
  getApiKey: "`lastUsedAt` is to the minute.",
  rotateApiKey:
    "A new key with the same name, principal and scopes; the old one works for `overlapHours` more.",
  revokeApiKey: "Every gateway is told at once; a second later at most none takes it any more.",
  listApiKeyProposals: "Keys that wait for another principal, and those that were decided.",
  approveApiKeyProposal: "By another principal than the one that proposed it; the key opens from then on.",
  denyApiKeyProposal: "The key stays shut for ever.",
  getOpenApi: "OpenAPI 3.1, written from the schemas that validate. For people it is at `/docs`.",
};
