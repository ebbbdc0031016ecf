import {
  bookIdOf,
  derivedUuid,
  idOf,
  type LedgerAccountId,
  newId,
  newUuid,
  type PaymentOrderId,
  type TenantId,
  uuidOf,
} from "../../contracts/ids/ids.ts";
import type {
  AssignCommand,
  HoldCommand,
  InboundCommand,
  LedgerCommand,
  OpenPendingCommand,
  PostCommand,
  SuspenseCommand,
  UnmatchedReturnCommand,
} from "../../services/ledger/book/commands.ts";

// Commands as their senders make them, for specs and benches.

export const sampleTenant = newId("ten");
export const sampleBook = bookIdOf(sampleTenant, "Test");

/** A tenant whose book comes before the sample book in the order of their stored ids. */
export function tenantBeforeSample(): TenantId {
  for (;;) {
    const tenant = newId("ten");
    if (uuidOf(bookIdOf(tenant, "Test")) < uuidOf(sampleBook)) return tenant;
  }
}

export const sampleEffectiveAt = "2026-03-02T15:00:00.000Z";
const owner = { tenantId: sampleTenant, mode: "Test" } as const;

/** Places the hold of an order; by default a Credit with the bank as its contra. */
export function holdOf(
  orderId: PaymentOrderId,
  ledgerAccountId: LedgerAccountId,
  amountCents: number,
  more: Partial<Pick<HoldCommand, "direction" | "contra" | "tenantId">> = {},
): HoldCommand {
  return {
    kind: "Hold",
    commandId: derivedUuid(orderId, "hold"),
    orderId,
    ...owner,
    direction: "Credit",
    amountCents,
    currency: "USD",
    ledgerAccountId,
    contra: { kind: "SettlementCash" },
    effectiveAt: sampleEffectiveAt,
    ...more,
  };
}

/** The steps after the hold; each resend is the same command. */
export function settlementOf(orderId: PaymentOrderId): LedgerCommand {
  return {
    kind: "Settle",
    commandId: derivedUuid(orderId, "settle"),
    orderId,
    effectiveAt: sampleEffectiveAt,
  };
}
export function releaseOf(orderId: PaymentOrderId, effectiveAt = sampleEffectiveAt): LedgerCommand {
  return {
    kind: "Release",
    commandId: derivedUuid(orderId, "release"),
    orderId,
    effectiveAt,
  };
}
export function lateReturnOf(orderId: PaymentOrderId): LedgerCommand {
  const returnId = `ret_${orderId.slice("po_".length)}` as const;
  return {
    kind: "LateReturn",
    commandId: derivedUuid(orderId, "late-return"),
    orderId,
    returnId,
    effectiveAt: sampleEffectiveAt,
  };
}

/** Money that the bank moved for an order that is already final; by default a Credit from Settlement cash. */
export function suspensePostingOf(
  orderId: PaymentOrderId,
  amountCents: number,
  more: Partial<Pick<SuspenseCommand, "movement" | "direction" | "contra">> = {},
): SuspenseCommand {
  const { movement = "Settlement" } = more;
  return {
    kind: "Suspense",
    commandId: derivedUuid(orderId, `suspense/${movement}`),
    orderId,
    transactionId: idOf("lt", derivedUuid(orderId, `suspense/${movement}`)),
    direction: "Credit",
    amountCents,
    currency: "USD",
    contra: { kind: "SettlementCash" },
    effectiveAt: sampleEffectiveAt,
    ...more,
    movement,
  };
}

type SampleLine = readonly [LedgerAccountId, "Debit" | "Credit", number];

/** An inbound payment for an account; for null, its number is unknown. */
export function inboundOf(
  ledgerAccountId: LedgerAccountId | null,
  amountCents: number,
  contra: InboundCommand["contra"] = { kind: "SettlementCash" },
): InboundCommand {
  return {
    kind: "Inbound",
    commandId: newUuid(),
    ...owner,
    transactionId: newId("lt"),
    bankReference: newUuid(),
    contra,
    amountCents,
    currency: "USD",
    ledgerAccountId,
    effectiveAt: sampleEffectiveAt,
  };
}
/** An unmatched return; by default of a payment, so that money comes in. */
export function unmatchedReturnOf(
  amountCents: number,
  direction: UnmatchedReturnCommand["direction"] = "Credit",
): UnmatchedReturnCommand {
  return {
    kind: "UnmatchedReturn",
    commandId: newUuid(),
    transactionId: newId("lt"),
    bankReference: newUuid(),
    code: "R03",
    contra: { kind: "SettlementCash" },
    direction,
    amountCents,
    currency: "USD",
    effectiveAt: sampleEffectiveAt,
  };
}
export function assignOf(
  ledgerAccountId: LedgerAccountId,
  amountCents: number,
  direction: AssignCommand["direction"] = "Credit",
): AssignCommand {
  return {
    kind: "Assign",
    commandId: newUuid(),
    transactionId: newId("lt"),
    direction,
    ledgerAccountId,
    amountCents,
    currency: "USD",
    effectiveAt: sampleEffectiveAt,
  };
}

/** A manual posting of `[account, direction, cents]` lines, dated now. */
export function postingOf(...lines: readonly SampleLine[]): PostCommand {
  return {
    kind: "Post",
    commandId: newUuid(),
    transactionId: newId("lt"),
    lines: lines.map(([ledgerAccountId, direction, amountCents]) => ({
      ledgerAccountId,
      direction,
      amountCents,
      currency: "USD",
    })),
    basis: "Actual",
    effectiveAt: null,
  };
}
export function reversalOf({ transactionId }: Pick<PostCommand, "transactionId">): LedgerCommand {
  return { kind: "Reverse", commandId: newUuid(), transactionId, effectiveAt: null };
}

/** A manual hold of such lines, until it is posted or voided. */
export function pendingOf(...lines: readonly SampleLine[]): OpenPendingCommand {
  return { ...postingOf(...lines), kind: "OpenPending" };
}
export function postPendingOf({ transactionId }: Pick<PostCommand, "transactionId">): LedgerCommand {
  return { kind: "PostPending", commandId: newUuid(), transactionId, effectiveAt: null };
}
export function voidPendingOf({ transactionId }: Pick<PostCommand, "transactionId">): LedgerCommand {
  return { kind: "VoidPending", commandId: newUuid(), transactionId, effectiveAt: null };
}
