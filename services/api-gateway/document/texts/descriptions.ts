/** The description of each operation, by its id. A test names operations without one. */
export const descriptions: Readonly<Record<string, string>> = {
  createPaymentOrder:
    "Creates an order and submits it, unless `submit` is false. Send either `ledgerAccountName` or `ledgerAccountId`, and either `counterpartyId` or the counterparty's details. The answer comes as soon as the order is stored. The ledger then decides whether the account can cover it: if not, the order becomes `Failed` with `insufficient_funds`. Send `Prefer: wait=5` to wait for that.",
  previewPaymentOrder:
    "Runs every check of a submission and returns the approvals, cutoff, settlement date and balances that would apply. Writes nothing.",
  listPaymentOrders:
    "Newest first; with a filter on `submittedAt`, `completedAt`, `returnedAt`, `decidedAt` or `updatedAt`, latest by that time first. Filters are combined with AND; a repeated filter matches any of its values.",
  getPaymentOrder:
    "The order with its status history. If it waits for approval, `approval.mine` says whether you could approve it now, and `approval.expiresAt` until when it waits.",
  getPaymentOrderTimeline:
    "The order's status changes and approvals, the ledger's journals of it, what its rail reported, and the webhooks about it, in one list by time. Each service is asked at once: one that does not answer is named in `unavailable`, and the rest is still there. Journals need the scope `ledger:read`, webhooks `webhooks:read`; without it they are left out, and `leftOut` says so.",
  search:
    "Looks `q` up in the book: an id finds that object alone, any other text is a reference, the start of a name and, if it looks like one, an amount in dollars. At most eight of each kind. Accounts, inbound payments, obligations and ledger transactions are searched with the scope `ledger:read` only; `leftOut` names what was not. Account numbers are not searched, and shown masked. A service that does not answer is named in `unavailable`.",
  updatePaymentOrder:
    "A JSON merge patch (RFC 7396): a field that you send replaces the stored one, null removes it. Anyone who edits a Draft counts as a maker and can't approve it. After submission, and after its end, only `description` and `metadata` can change; any other field answers `order_frozen`. Such a change keeps `orderHash` and the approvals, is listed under `/changes`, and sends no webhook.",
  listPaymentOrderChanges:
    "Changes of `description` and `metadata` after the submission, newest first. Status changes are in the order's `statusHistory`.",
  submitPaymentOrder:
    "Freezes the fields and holds the money. All checks apply: the rail's limits, the account's format, the basis of the amount, the daily limit. The submitter counts as a maker and can't approve the order.",
  approvePaymentOrder:
    "Approves on behalf of the key's principal. Makers can't approve it: who created, edited or submitted the order, wrote or changed the obligation that it pays, or entered its payee's details. Two keys of one principal count once. Send the `orderHash` of what the approver saw: an order that differs is not approved. A Submitted order can be approved too: the approval counts once its money is held. After the last approval the order goes to its rail, if the rail's window is open.",
  denyPaymentOrder:
    "Rejects a Pending order that waits for approval. It becomes Cancelled and its hold is released. A Submitted order has no hold yet: deny it once it is Pending, or cancel it.",
  cancelPaymentOrder:
    "Possible until the hand-off to the rail; later it answers 409 `order_not_cancellable`. The hold is released when the order is Cancelled.",
  getInbox:
    "Up to 100 in each list, with how many wait. `mine` says whether you could approve it now, or the error code that you would get: what you can't decide is listed, too. Payment orders that were created first come first, and of those on the page the soonest to lapse; page through all with `GET /v1/payment-orders?awaiting=Approval`. What is proposed in the ledger is listed for `ledger:read`, API keys for `keys:write`, roles for `people:write`. If a service of ours doesn't answer, the answer is 503; if only the ledger doesn't, its list is null.",
  getApprovalPolicy: "Returns the fields that PUT takes.",
  putApprovalPolicy:
    "Send all fields; without `requireApprovalForLedgerTransactions` that one stays as it is. A policy that is equal or tighter in every field applies at once: 200. If any field is looser, the answer is 202 with a proposal, and nothing changes until another principal approves it. A change never lowers the approvals that a waiting order needs.",
  previewApprovalPolicy:
    "Takes the body of PUT, and says what it would do: which fields it loosens or tightens, whether another principal would have to approve it, which waiting orders would lack more approvals, and which would be cancelled because they have waited longer than the policy allows. No waiting order ever needs fewer approvals by a change. Writes nothing.",
  listPolicyProposals: "Newest first, open and decided.",
  approvePolicyProposal: "Puts the policy into force. Another principal than the proposer must approve it.",
  denyPolicyProposal: "The policy does not change. Another principal than the proposer must deny it.",
  createCounterparty:
    "A new counterparty is Unverified. It has at most one account per rail. Account numbers are encrypted when stored; answers show the last four characters.",
  listCounterparties: "Newest first. Archived ones are listed with `archived=true` only.",
  getCounterparty: "Account numbers are masked. `ETag` carries the version, for `If-Match`.",
  replaceCounterparty:
    "Fields that you leave out are removed. A change of name, type or accounts resets verification. With `If-Match`, a version that is out of date answers 412. Submitted orders keep the details that they were submitted with.",
  verifyCounterparty:
    "Whoever entered the bank details can't verify them. In Test mode the answer comes at once: Verified, or Failed for account number `500000`. Counterparties can't be verified in Live mode yet.",
  archiveCounterparty:
    "No new order can name it, by `counterpartyId` or by submission of a Draft (`counterparty_archived`). Orders that are submitted go on. Lists leave it out, unless `archived=true`. Its details, its `externalId` and its verification stay.",
  restoreCounterparty: "Orders can name it again. Its verification is what it was.",
  listProposedChanges:
    "What the counterparty's bank has corrected, newest first: notices of change of your orders make these. Notices of the same correction make one while it is Open.",
  acceptProposedChange:
    "Gives the counterparty the corrected data. It counts as an edit by you: verification is reset as by a PUT, and you can't verify it. A corrected individual id is not stored: no rail sends one. Orders that are submitted go on as they are, and other proposals stay, unless they correct the same field. With `If-Match`, a version that is out of date answers 412.",
  dismissProposedChange:
    "Leaves the counterparty as it is. Orders to it are no longer refused for this proposal.",
  createLedgerAccount:
    "An account with `overdraft: Refused` never goes below zero: an order that it can't cover fails with `insufficient_funds`.",
  listLedgerAccounts:
    "Your own accounts, newest first. `owner=System` lists the service's own accounts instead.",
  getLedgerAccount:
    "The balances come from one snapshot. `asOf` gives balances as recorded at that moment; the answer never changes. `effectiveAsOf` gives balances at the end of a day by effective time, with backdated entries; `lastSequence` is the newest journal that is included. Other fields show the account as it is now.",
  listLedgerEntries:
    "Newest first, unless `order=Oldest`. The answer is a bare array: follow `Link` to the next page. Entries never change: settlements, releases and corrections add opposite entries.",
  listLedgerAccountJournals:
    "Newest first by time of record. Each journal appears once, however many entries it has on the account, with what it changed in both layers and the balances after it. Entries alone are in `/entries`.",
  getLedgerAccountBalanceHistory:
    "Divides the time between `from` and `to` into `points` intervals of one length and gives the balances at the end of each, as recorded then: each point equals `asOf` at its time, and never changes. Before the account was opened they are zero.",
  getLedgerProof:
    "The digest of each journal covers its content, and the hash chain covers every digest. Store a `headHash` elsewhere: any later change to earlier records can be detected. An auditor in the service checks new journals as they come and the whole book once a day. A book that fails is Frozen: it can be read, and writes answer 503.",
  listLedgerJournals:
    "Oldest first, with everything that your own verifier needs. A digest of version 2 covers the journal's text and its `recordedAt`, one of version 1 the text alone: see docs/export-format.md.",
  getLedgerAccountStatement:
    "What moved on the account, by effective day in New York and oldest first, with the balance after each line. The opening balance is the account's `effectiveAsOf` of the day before `from`, the closing balance that of `to`. Pages are of one moment: what is posted while you read them is in your next statement. `Accept: text/csv` answers the whole statement as a file of at most 10,000 lines, with amounts in cents; text that a spreadsheet would take for a formula begins with an apostrophe there.",
  updateLedgerAccount:
    "Changes the description and pairs of the metadata; null removes them. Nothing else of an account changes.",
  closeLedgerAccount:
    "The posted, pending and pending inbound balances must be zero. A closed account can't be opened again. Money that still arrives for it goes to Suspense.",
  createLedgerTransaction:
    "2 to 100 entries on your own accounts, with equal debits and credits. All entries are written, or none. `status: Pending` holds the money until you post or void the transaction. A hold that an account with `overdraft: Refused` can't cover is refused. Where the policy has `requireApprovalForLedgerTransactions`, a transaction above `approvalThresholdCents` can only be created Pending.",
  listLedgerTransactions:
    "Newest first: your own transactions, and those of orders, inbound payments and obligations (`owner`).",
  getLedgerTransaction: "The transaction with its journals. Entries name the journals by `sequence`.",
  postLedgerTransaction:
    "Moves the held money. The effective date stays, unless you send a later one. If a closed period has overtaken the date, you must send one. A transaction with an owner answers 409 `transaction_owned`. Where the policy requires an approval of it, you need `orders:approve`, and another principal must have created it.",
  voidLedgerTransaction:
    "Releases the held money. With `orders:approve` and without `ledger:write`, you void what another principal has created.",
  reverseLedgerTransaction:
    "Adds the opposite entries to the transaction. It stays Posted, with `reversedAt`. The entries are dated now, or as the transaction if that is later. Can be done once, even if it takes an account below zero. Where the policy requires an approval of the amount, nobody can reverse it alone: create the opposite entries Pending, and another principal posts them.",
  getBalances:
    "`totals` and `reconciliation` cover the whole book, whatever the page. `totals` adds your accounts, each by its normal side. `subLedgerCents` is everything that the book owes, with Suspense and obligations, minus Debit-normal accounts. With `asOf` or `effectiveAsOf` all figures are of the past. Accounts opened after `asOf` are left out.",
  createReconciliation:
    "Runs start automatically when a banking day's statement arrives. In a sandbox, this requests a statement up to now. Each statement has one run. If earlier statements were refused or have not arrived, they are compared first. One request compares at most 21 statements with at most 2,000 lines together, and at least one statement. The answer is the last of these runs, and the next request continues. A run is Reconciled if the difference is 0 and nothing is unmatched; it then closes the period to manual transactions.",
  listReconciliations:
    "Newest first, without the open items. A day may have several runs: one per statement, and one that is NotReconciled if its statement was late.",
  getReconciliation:
    "The run with its open items. An unmatched item is carried from run to run until it is matched. The oldest 500 of each kind are shown; the counts cover all, and `/items` lists all.",
  listReconciliationItems:
    "Oldest first, each once. `reason` says whether an item is in transit or unmatched, and filters.",
  createBankStatementFault:
    "The bank's next statement will contain the error, and its balance will follow the printed lines. A printed line can't be changed: `correct` fixes it on a later statement.",
  listBankStatementFaults: "Newest first, also corrected ones.",
  getBankStatementFault: "`statementId` names the statement with the error.",
  correctBankStatementFault:
    "On the next statement, the bank prints the missing line, or reverses the wrong line and prints it correctly. An error that still waits is dropped.",
  createObligation:
    "Nothing is booked yet. Lines may be based on Demo or Missing figures. `payeeCounterpartyId` can be set until the obligation is remitted.",
  listObligations: "Newest first, without bookings and payments.",
  getObligation:
    "With its bookings and payments. `outstandingCents` is the posted balance of its liability account, from the same snapshot as the status.",
  updateObligation:
    "A JSON merge patch (RFC 7396). After `fix` only `payeeCounterpartyId` can be changed; change amounts with `amend`. With `If-Match`, a version that is out of date answers 412.",
  fixObligation:
    "Books the liability: debit expense, credit liability. The type decides the expense account. Each obligation has a liability account of its own. A line that is not Actual is refused, and `line` names it. With `If-Match`, you book the lines that you read: a version that is out of date answers 412.",
  amendObligation:
    "Send all lines. The difference is booked. The new total can't be below the amount already paid, and the obligation can't be amended while an order is paying it. With `If-Match`, a version that is out of date answers 412.",
  remitObligation:
    "The only way to pay an obligation. Creates a payment order for exactly the outstanding amount, to the payee's account on that rail. The usual checks, approvals and windows apply. When the order is Completed, the obligation is Relieved; a return, failure or cancellation makes it payable again. With `If-Match`, you pay the amount and the payee that you read: a version that is out of date answers 412. If the order is refused you get that error and nothing is stored. Needs `orders:write`, because it creates a payment order.",
  createVirtualAccount:
    "The ledger account must be one of your own, Credit-normal and open. The number is random and ends in a check digit. Give it to one payer: incoming money is matched automatically.",
  listVirtualAccounts:
    "Newest first, with full account numbers. Give `ledger:read` only to those who may see them.",
  getVirtualAccount: "With the full account number.",
  updateVirtualAccount:
    "Changes the description and pairs of the metadata, of a Closed one too; null removes them.",
  disableVirtualAccount: "Money sent to a disabled number still arrives, and goes to Suspense.",
  enableVirtualAccount:
    "Incoming money goes to the ledger account again. Money already in Suspense stays there: assign it.",
  closeVirtualAccount:
    "A closed account can't be opened again, and its number is never reused. Money sent to it still arrives, and goes to Suspense.",
  listInboundPayments: "Newest first. `status=Suspended` lists the payments that you need to assign.",
  getInboundPayment: "`reason` says why it was not attributed; `assignment` says where it was moved.",
  assignInboundPayment:
    "Moves a Suspended payment to one of your accounts, once: debit Suspense, credit the account. If the approval policy has `requireApprovalForLedgerTransactions`, an assignment above `approvalThresholdCents` is proposed (202): another principal with `orders:approve` makes it by an `assign` to the same account, and an `assign` to another account replaces the proposal. Correct a mistake with a ledger transaction.",
  simulateInboundPayment:
    "The bank books the payment, and the ledger receives it a moment later. A repeat of a `bankReference` with the same payment is ignored; with another payment it is refused. A number that is not yours is accepted too: the money goes to Suspense.",
  createWebhookEndpoint:
    "Store `signingSecret`: it signs every delivery and is shown only here. Without `eventTypes` the endpoint receives the default types, which that field names. Its events keep the format of this API version.",
  listWebhookEndpoints: "Newest first, without secrets.",
  getWebhookEndpoint: "Without its secret. `apiVersion` is the version of its events.",
  updateWebhookEndpoint:
    "A JSON merge patch (RFC 7396): a field that you send replaces the stored one, null removes it. A new `url` is checked like that of a new endpoint; its open deliveries go there too, and an attempt that is under way ends at the old one. `maxAttempts` counts for events that happen from now on, the other fields at the next attempt. While it is Disabled nothing is sent to it: its open deliveries wait until it is Enabled again, and events make no new ones.",
  deleteWebhookEndpoint:
    "Nothing is sent to it any more, and it counts no longer towards the maximum. Its open deliveries end as Cancelled; one that was delivered before, and is being sent again, as Delivered. Its deliveries can still be read. An attempt that is under way ends as usual and is recorded.",
  testWebhookEndpoint:
    "Sends a signed `test.event` to this endpoint alone, whatever its types, and answers with the delivery: read it for the receiver's answer. One attempt is made. With `secret: Newest` only the newest secret signs it.",
  rotateWebhookSecret:
    "Every attempt is signed with all active secrets; this adds one. Store `signingSecret`: it is shown only here. The older secrets go on signing for `overlapHours`; 0 ends them at once. An attempt that has begun keeps its signatures.",
  retirePreviousWebhookSecret:
    "The newest secret alone signs from now on. Before you call this, test the endpoint with `secret: Newest`: the answer shows whether your receiver knows the newest one.",
  listWebhooks: "Newest first, without what was sent and what the receivers answered.",
  getWebhook:
    "With the body that is sent, where to, and every attempt: time, duration and the receiver's answer.",
  retryWebhook:
    "Sends the same event id and bytes again, at once. Works for dead-lettered and for delivered events; not if the endpoint is Disabled or deleted. While an attempt is under way, nothing else is sent: if it fails, retry again.",
  replayWebhooks:
    "Sends the deliveries of up to 31 days again, with the same event ids and bytes, oldest first. They are counted first, at most 1,000,000, and then sent. New events are sent first. Deliveries that are Pending or Retrying are being sent anyway. The replay survives restarts. A book has one under way at a time. With `dryRun` the answer is the count.",
  listWebhookReplays: "Newest first.",
  getWebhookReplay:
    "`queued` of `matched` deliveries have been queued to be sent. `GET /v1/webhooks` shows what became of each.",
  cancelWebhookReplay: "What was queued before is still sent.",
  listEvents:
    "Newest first, also those that no endpoint received. With `objectId` and `afterSequence` you find what you missed of one payment order. `createdAt` filters compare the real time at which the event happened. It may be listed later, so begin again some minutes before the last one that you have, and drop the ids that you know. `created_at` is on the clock of a Test book that has one. An event can be read for 90 days.",
  getEvent:
    "In the version of the API that you call, with the `data` that endpoints of that version receive. An event can be read for 90 days.",
  listEventTypes:
    "One page with every type. `schema` is the JSON Schema of the body that endpoints of this version of the API receive.",
  getWebhookStatement:
    "Of the deliveries that were created on a UTC day, how many were delivered, dead-lettered, cancelled or are pending: `committed` is their sum. Compare it with what your receiver got. Counted in the transactions that make and change deliveries, so the numbers stay when old deliveries are deleted. An endpoint without deliveries on that day has no line.",
  diagnoseWebhook:
    "For a request that your receiver could not verify: send its body and one of its two signature headers. Says which of the endpoint's secrets made the signature, or what else is wrong: a retired secret, an old timestamp, a body that was re-serialized or changed on its way (compared with the bytes that we sent), another endpoint's secret. Shows no secret and changes nothing.",
  createTestSink:
    "Records every request, and which endpoint's secret verified it. Answers as scripted: with statuses, headers and bodies that you choose, late, byte by byte, or not at all. A book has at most 200 sinks. Test keys only.",
  listTestSinks: "Newest first.",
  getTestSink: "With its script, and how many requests it has received.",
  updateTestSink:
    "A JSON merge patch (RFC 7396). A new script starts with its first answer. Requests that still wait get the answer of the script as it was.",
  deleteTestSink: "With all its requests. Its URL answers 404.",
  clearTestSink: "The numbers of its requests go on, and so does its script.",
  listTestSinkRequests:
    "Newest first, with raw bytes and headers. With `after` oldest first, from the next request on. With `wait` an empty page is answered only when a request has come, or the time is over. Repeat the call, each time with the last `number` that you have seen as `after`, and you miss none. A sink keeps its newest 1,000 requests and 32 MiB of bodies.",
  getSimulationDigest:
    "Two books with the same seed, the same requests and the same moves of a Manual clock have the same digest. `orders` is the SHA-256 of a line per payment order: external id (`#1` for the first order of the book if it has none), rail, direction, amount, status, failure code, return code and whether the return was late, separated by `|`, `-` for none. `entries` has a line per ledger entry: account name, kind of journal, layer, role, direction and amount. Lines are sorted byte by byte. Ids and times don't count.",
  getClock: "A book whose clock was never set is Instant, in real time.",
  putClock:
    "Time never goes back in a book. Leaving Manual, the book is as far ahead of real time as at its last advance: the time for which it stood since then passes at once. The answer comes once every service has the clock. What waits in the book, waits for the same time as before.",
  advanceClock:
    "Moves a Manual clock to the next time at which something is due, waits until everything that follows from it has happened, and goes on from there until it arrives: windows open, rails settle, return windows end, approvals expire and webhooks are tried again, in the order of their times.",
  getClockAdvance: "`waitingFor` names what a Stuck advance waits for.",
  createInjection:
    "Decides at hand-off what the rail does with each payment that it matches, until it has acted `count` times, `until` has passed, or you end it. A call on the order comes first, then the oldest rule that matches, then a magic account number; else the payment settles. A rule without `share` and `count` leaves nothing to newer ones, which name it in `shadowedBy`.",
  listInjections: "Newest first, also those that have ended.",
  getInjection: "`applied` counts the payments on which it has acted.",
  endInjection:
    "Payments that are handed off later no longer meet it. What it has done stays. One that has ended answers 409 `invalid_state_transition`.",
  getSimulatedPaymentOrder:
    "Why the rail does what it does, what it has reported, and what it will report when. `listSimulationLog` with its id says who asked for it.",
  getSimulatedRails:
    "For each rail: its window on the book's clock, its outage, what is in flight, and the rules that can act on its payments. The windows of an Instant book are always open.",
  listSimulationLog:
    "Newest first: rules that were made, ended and that acted, calls on orders, inbound payments, errors of statements, and the clock. A rule that ends by its `count` or `until` has no entry for that, unless it is an outage, which the rail itself ends.",
  simulatePaymentOrder:
    "At the rail, the action happens at once (`Applied`). Before the hand-off it is stored and applied then (`Kept`). A return that the rail has reported is reported again, and no money moves (`Repeat`). A code that does not exist for the rail and direction is refused, unless `force` is true.",
  createApiKey:
    "The key is shown only in this answer. It can only have scopes that your own key has. A key with more rights (`orders:approve`, `policy:write`, `keys:write`, `people:write`, another existing principal, `orders:write`, `counterparties:write` or `ledger:write` for a new principal, a later end or wider addresses than your key) is Pending until another principal approves its proposal: 202.",
  listApiKeys: "Newest first, without the keys themselves: `prefix` and `last4` identify them.",
  getOwnApiKey: "Whom the key acts for, what it may do, from where, and until when.",
  getApiKey: "Without the key itself. `lastUsedAt` is accurate to the minute.",
  rotateApiKey:
    "Issues a replacement with the same scopes. The old key works for `overlapHours` more; 0 ends it at once. Where making such a key needs a second principal, the replacement is Pending: 202.",
  revokeApiKey:
    "The key stops working within a second, for good. A replacement of it that still waits for an approval is denied. The answer lists the keys that it made and that still work or wait. With `includeDescendants` these end too, and it lists every key that ended with this one, also by earlier requests.",
  listApiKeyProposals: "Newest first, open and decided.",
  approveApiKeyProposal:
    "The key can be used from now on. Neither the proposer nor the key's own principal can approve it.",
  denyApiKeyProposal: "The key can never be used. The proposer can deny it too.",
  listPeople: "Newest first, with their roles in both modes.",
  createPerson:
    "The first password is shown only in this answer. Until the person changes it they can only read. Roles are those of the request's mode. In Test, Viewer is given at once; every other role, every role in Live, and every role of a principal that has API keys waits until another admin approves its proposal. `proposedRoles` shows what waits.",
  getPerson: "With the roles in both modes. `ETag` carries the version, for `If-Match`.",
  updatePerson:
    "`roles` is the whole set in the request's mode. What is taken away is gone within a second, also in sessions that go on. In Test, Viewer is given at once; every other role, every role in Live, and every role of a principal that has API keys waits for another admin. `proposedRoles` shows what waits. Nobody gives a role to themselves. `Suspended` ends all sessions and takes away every role. With `If-Match`, you change the person that you read: a version that is out of date answers 412.",
  listRoleProposals: "Newest first, open and decided, of the request's mode. Filter by `status`.",
  approveRoleProposal:
    "The person has the roles from now on. Neither the proposer nor the person who gets the roles can approve it.",
  denyRoleProposal: "The person does not get the roles. The proposer can deny it too.",
  listSessions: "Your sessions that have not ended, newest first.",
  endSession: "It ends within a second, in every instance.",
  listAuditLog:
    "Newest first: sign-ins, decisions, changes of people, roles, API keys and the approval policy, of webhook endpoints and their secrets. Entries of the request's mode, and those that concern none; of one `actor`, or about one `objectId`. Nobody can change or delete them.",
  listRequests:
    "The book's requests of the last seven days that were refused, newest first: when, which route, why and by whom, without ids, queries and bodies. Filter by `code`, by the class of the `status`, or by `createdAt`. Unknown routes are not listed, and requests without a valid key or session belong to no book. It helps developers and is no audit: requests appear after about two seconds. Of each two seconds an instance keeps at most 100 of a book, 10 of them of one caller with one `code`; one that is killed loses those of its last two seconds.",
  summarizeRequests:
    "The requests that `GET /v1/requests` lists, grouped by `code`, the most frequent first. Each code is counted up to 1,000.",
  getMe:
    "The principal, its tenant and its scopes in this mode. A person who has signed in gets their roles in both modes; an API key gets its id.",
  getOpenApi: "OpenAPI 3.1, generated from the schemas that validate requests. `/docs` shows it as a page.",
};
