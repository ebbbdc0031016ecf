import type { AnnouncementType, EventType, MessageType, RequestType, Service } from "./message.ts";
import * as clocks from "./messages/clocks.ts";
import * as books from "./messages/books.ts";
import * as bank from "./messages/bank-statements.ts";
import * as inbound from "./messages/inbound.ts";
import * as injections from "./messages/injections.ts";
import * as digests from "./messages/digests.ts";
import * as ledger from "./messages/ledger.ts";
import * as names from "./messages/names.ts";
import * as obligations from "./messages/obligations.ts";
import * as transactions from "./messages/ledger-transactions.ts";
import * as orders from "./messages/orders.ts";
import * as proofs from "./messages/proofs.ts";
import * as rails from "./messages/rails.ts";
import * as reconciliations from "./messages/reconciliations.ts";
import * as tenants from "./messages/tenants.ts";
import * as virtualAccounts from "./messages/virtual-accounts.ts";
import * as webhookEvents from "./messages/webhook-events.ts";
import * as webhookReplays from "./messages/webhook-replays.ts";
import * as webhooks from "./messages/webhooks.ts";

interface Role {
  /** Commands that it sends. It may publish every event and announcement that it owns. */
  readonly sends: readonly MessageType[];
  /** Commands and events that it consumes, with one durable consumer per stream. */
  readonly consumes: readonly MessageType[];
  /** Requests that it may send to other services. */
  readonly requests: readonly RequestType[];
  /**
   * Events and announcements that every instance receives without a durable consumer (core NATS). A missed one leaves a
   * stale cache entry or a screen that is read later, and nothing else.
   */
  readonly ephemeral: readonly (MessageType | AnnouncementType)[];
}

/**
 * The messages that each service sends, consumes and requests. NATS permissions, durable consumers and the start-up
 * check are made from this table: the NATS server refuses everything else.
 */
export const topology: Readonly<Record<Service, Role>> = {
  gateway: {
    sends: [],
    consumes: [],
    requests: [
      orders.CreateOrder,
      orders.GetOrder,
      orders.ListOrders,
      orders.ReadInbox,
      orders.ListOrderChanges,
      orders.SubmitOrder,
      orders.ApproveOrder,
      orders.ApplyApprovalRights,
      orders.CancelOrder,
      orders.UpdateOrder,
      orders.PreviewOrder,
      orders.DenyOrder,
      orders.GetApprovalPolicy,
      orders.PutApprovalPolicy,
      orders.PreviewApprovalPolicy,
      orders.ListPolicyProposals,
      orders.DecidePolicyProposal,
      orders.CreateCounterparty,
      orders.GetCounterparty,
      orders.ListCounterparties,
      names.FindCounterpartiesByName,
      names.FindOrdersByPayee,
      names.FindAccountsByName,
      orders.ReplaceCounterparty,
      orders.VerifyCounterparty,
      orders.ArchiveCounterparty,
      orders.RestoreCounterparty,
      orders.ListProposedChanges,
      orders.AcceptProposedChange,
      orders.DismissProposedChange,
      ledger.CreateLedgerAccount,
      ledger.ListLedgerAccounts,
      ledger.GetLedgerAccount,
      ledger.ListLedgerEntries,
      ledger.GetStatement,
      ledger.ListAccountJournals,
      ledger.GetBalanceHistory,
      ledger.GetBalances,
      obligations.CreateObligation,
      obligations.GetObligation,
      obligations.ListObligations,
      obligations.EditObligation,
      obligations.FixObligation,
      obligations.AmendObligation,
      obligations.RemitObligation,
      proofs.GetLedgerProof,
      proofs.ListLedgerJournals,
      transactions.CreateLedgerTransaction,
      transactions.GetLedgerTransaction,
      transactions.ListLedgerTransactions,
      transactions.PostLedgerTransaction,
      transactions.ReadLedgerInbox,
      transactions.VoidLedgerTransaction,
      transactions.ReverseLedgerTransaction,
      ledger.CloseLedgerAccount,
      ledger.UpdateLedgerAccount,
      webhooks.CreateWebhookEndpoint,
      webhooks.GetWebhookEndpoint,
      webhooks.ListWebhookEndpoints,
      webhooks.UpdateWebhookEndpoint,
      webhooks.DeleteWebhookEndpoint,
      webhooks.RotateWebhookSecret,
      webhooks.RetireWebhookSecrets,
      webhooks.TestWebhookEndpoint,
      webhooks.ListDeliveries,
      webhooks.GetDelivery,
      webhooks.ListDeliveriesOfObject,
      webhooks.RetryDelivery,
      webhookEvents.ListEvents,
      webhookEvents.GetEvent,
      webhooks.GetWebhookStatement,
      webhooks.DiagnoseWebhook,
      webhookReplays.CreateReplay,
      webhookReplays.GetReplay,
      webhookReplays.ListReplays,
      webhookReplays.CancelReplay,
      webhooks.CreateTestSink,
      webhooks.ListTestSinks,
      webhooks.GetTestSink,
      webhooks.UpdateTestSink,
      webhooks.DeleteTestSink,
      webhooks.ClearTestSink,
      webhooks.ListTestSinkRequests,
      rails.SimulateInstruction,
      rails.ListRailEvents,
      injections.CreateInjection,
      injections.ListInjections,
      injections.GetInjection,
      injections.EndInjection,
      injections.GetSimulatedOrder,
      injections.GetSimulatedRails,
      injections.ListSimulationLog,
      clocks.GetClock,
      clocks.PutClock,
      clocks.AdvanceClock,
      clocks.GetClockAdvance,
      digests.GetSimulationDigest,
      bank.CreateStatementFault,
      bank.ListStatementFaults,
      bank.GetStatementFault,
      bank.CorrectStatementFault,
      reconciliations.CreateReconciliation,
      reconciliations.GetReconciliation,
      reconciliations.ListReconciliationItems,
      reconciliations.ListReconciliations,
      inbound.SimulateInbound,
      virtualAccounts.CreateVirtualAccount,
      virtualAccounts.GetVirtualAccount,
      virtualAccounts.ListVirtualAccounts,
      virtualAccounts.ChangeVirtualAccount,
      virtualAccounts.UpdateVirtualAccount,
      inbound.GetInboundPayment,
      inbound.ListInboundPayments,
      inbound.FindInboundPaymentsByAmount,
      inbound.AssignInboundPayment,
    ],
    ephemeral: [
      tenants.ApiKeyRevoked,
      tenants.PersonChanged,
      tenants.SettingsChanged,
      tenants.TenantStatusChanged,
      orders.OrderStatusChanged,
      orders.OrderApprovalRecorded,
      orders.ApprovalPolicyChanged,
      inbound.InboundPaymentReceived,
      books.CheckpointMade,
      books.BookFrozen,
      books.BookUnfrozen,
      webhooks.DeliveriesChanged,
    ],
  },
  orders: {
    sends: [
      ledger.PlaceHold,
      ledger.SettleHold,
      ledger.ReleaseHold,
      ledger.PostLateReturn,
      ledger.PostToSuspense,
      rails.SubmitInstruction,
      rails.InquireInstruction,
    ],
    consumes: [
      ledger.HoldPlaced,
      ledger.HoldRefused,
      ledger.HoldSettled,
      ledger.HoldReleased,
      ledger.LateReturnPosted,
      ledger.SuspensePosted,
      inbound.SentBackPosted,
      books.BookFrozen,
      books.BookUnfrozen,
      books.CheckpointMade,
      rails.InstructionAccepted,
      rails.InstructionSettled,
      rails.InstructionFailed,
      rails.InstructionReturned,
      rails.InstructionUnknown,
      rails.NoticeOfChange,
      tenants.TenantStatusChanged,
      tenants.ApprovalRightChanged,
      clocks.BookClockChanged,
    ],
    requests: [
      ledger.ResolveLedgerAccount,
      ledger.GetLedgerAccount,
      ledger.CheckHold,
      transactions.ApplyTransactionPolicy,
    ],
    ephemeral: [],
  },
  ledger: {
    sends: [],
    consumes: [
      ledger.PlaceHold,
      ledger.SettleHold,
      ledger.ReleaseHold,
      ledger.PostLateReturn,
      ledger.PostToSuspense,
      bank.StatementIssued,
      inbound.InboundReceived,
      rails.UnmatchedReturnReceived,
      rails.PaymentSentBack,
      orders.ApprovalPolicyChanged,
      clocks.BookClockChanged,
    ],
    requests: [
      orders.GetCounterparty,
      obligations.CreateRemittance,
      bank.IssueStatement,
      bank.ReadStatement,
      bank.ReadStatementsAfter,
    ],
    ephemeral: [],
  },
  rails: {
    sends: [],
    consumes: [rails.SubmitInstruction, rails.InquireInstruction],
    requests: [
      orders.GetOrder,
      orders.ListOrders,
      clocks.ApplyClockToOrders,
      clocks.ApplyClockToLedger,
      clocks.ApplyClockToWebhooks,
      clocks.ReportOrdersProgress,
      clocks.ReportLedgerProgress,
      clocks.ReportWebhooksProgress,
      digests.DigestOrders,
      digests.DigestEntries,
    ],
    ephemeral: [],
  },
  webhooks: {
    sends: [],
    consumes: [
      orders.OrderStatusChanged,
      orders.CounterpartyChangeProposed,
      inbound.InboundPaymentReceived,
      obligations.RemittanceCleared,
      obligations.RemittanceReturned,
      clocks.BookClockNotified,
    ],
    requests: [],
    ephemeral: [],
  },
};

const messages: readonly { kind: string }[] = [
  bank,
  books,
  clocks,
  inbound,
  ledger,
  obligations,
  orders,
  rails,
  tenants,
  webhooks,
].flatMap((file) => Object.values(file));

/** The events that a service owns: no other service may publish them. */
export function eventsOf(service: Service): EventType[] {
  return messages
    .filter((type): type is EventType => type.kind === "event")
    .filter((type) => type.owner === service);
}

/** The announcements that a service owns: no other service may publish them, and no stream has them. */
export function announcementsOf(service: Service): AnnouncementType[] {
  return messages
    .filter((type): type is AnnouncementType => type.kind === "announcement")
    .filter((type) => type.owner === service);
}
