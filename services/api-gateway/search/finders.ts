import type { z } from "zod";
import {
  maxHitsPerKind,
  type SearchHit,
  type SearchKind,
  type SearchMatch,
} from "../../../contracts/http/search.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import type { RequestType } from "../../../contracts/message.ts";
import {
  FindInboundPaymentsByAmount,
  GetInboundPayment,
  ListInboundPayments,
} from "../../../contracts/messages/inbound.ts";
import {
  GetLedgerTransaction,
  ListLedgerTransactions,
} from "../../../contracts/messages/ledger-transactions.ts";
import { GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import {
  FindAccountsByName,
  FindCounterpartiesByName,
  FindOrdersByPayee,
} from "../../../contracts/messages/names.ts";
import { GetObligation, ListObligations } from "../../../contracts/messages/obligations.ts";
import {
  GetCounterparty,
  GetOrder,
  ListCounterparties,
  ListOrders,
} from "../../../contracts/messages/orders.ts";
import { GetVirtualAccount, ListVirtualAccounts } from "../../../contracts/messages/virtual-accounts.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";

/** Sends a read to the service that owns the type. */
export type Read = <T extends RequestType>(
  type: T,
  data: z.input<T["data"]>,
) => Promise<z.output<T["reply"]>>;

/** One request to one service, and the kinds that it finds. */
export interface Finder {
  readonly kinds: readonly SearchKind[];
  readonly find: () => Promise<SearchHit[]>;
}

type Found<T extends RequestType> = z.output<T["reply"]>;
type Hit = Omit<SearchHit, "kind" | "matchedBy">;

const nothingElse = { amountCents: null, rail: null, accountNumber: null } as const;

const order = (
  found: Pick<
    Found<typeof GetOrder>,
    | "id"
    | "counterpartyName"
    | "counterpartyAccountNumber"
    | "externalId"
    | "status"
    | "amountCents"
    | "rail"
    | "createdAt"
  >,
): Hit => ({
  id: found.id,
  title: found.counterpartyName,
  reference: found.externalId,
  status: found.status,
  amountCents: found.amountCents,
  rail: found.rail,
  // A Book transfer has the id of an account there.
  accountNumber: found.rail === "Book" ? null : found.counterpartyAccountNumber,
  at: found.createdAt,
});
const counterparty = (found: Found<typeof GetCounterparty>): Hit => ({
  id: found.id,
  title: found.name,
  reference: found.externalId,
  status: found.verificationStatus,
  ...firstAccount(found.accounts[0] ?? null),
  at: found.createdAt,
});
const firstAccount = (account: { rail: Rail; accountNumber: string } | null) => ({
  amountCents: null,
  rail: account?.rail ?? null,
  accountNumber: account?.accountNumber ?? null,
});
/** What has a name, a reference and a status, and no amount. */
const named = (found: {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly status: string;
  readonly createdAt: string | null;
}): Hit => ({
  id: found.id,
  title: found.name,
  reference: found.externalId,
  status: found.status,
  ...nothingElse,
  at: found.createdAt,
});
const inbound = (found: Found<typeof GetInboundPayment>): Hit => ({
  id: found.id,
  title: found.originatorName,
  reference: found.bankReference,
  status: found.status,
  amountCents: found.amountCents,
  rail: found.rail,
  accountNumber: null,
  at: found.occurredAt,
});
const obligation = (found: Found<typeof ListObligations>["data"][number]): Hit => ({
  id: found.id,
  title: found.type,
  reference: found.reference,
  status: found.status,
  ...nothingElse,
  amountCents: found.fixedCents === 0 ? null : found.fixedCents,
  at: found.createdAt,
});
const transaction = (found: Found<typeof GetLedgerTransaction>): Hit => ({
  id: found.id,
  title: found.description,
  reference: found.externalId,
  status: found.status,
  ...nothingElse,
  at: found.createdAt,
});

const hits = (kind: SearchKind, matchedBy: SearchMatch, found: readonly Hit[]): SearchHit[] =>
  found.map((hit) => ({ kind, matchedBy, ...hit }));

/** The finder of an id; none for an id of another kind. Undefined if the text is no id. */
export function findersById(text: string, read: Read): Finder[] | undefined {
  const one = (kind: SearchKind, find: () => Promise<Hit>): Finder[] => [
    { kinds: [kind], find: async () => hits(kind, "Id", [await find()]) },
  ];
  if (isId("po", text)) return one("PaymentOrder", async () => order(await read(GetOrder, { id: text })));
  if (isId("cp", text))
    return one("Counterparty", async () => counterparty(await read(GetCounterparty, { id: text })));
  if (isId("la", text))
    return one("LedgerAccount", async () => named(await read(GetLedgerAccount, { id: text })));
  if (isId("va", text))
    return one("VirtualAccount", async () => named(await read(GetVirtualAccount, { id: text })));
  if (isId("ip", text))
    return one("InboundPayment", async () => inbound(await read(GetInboundPayment, { id: text })));
  if (isId("ob", text))
    return one("Obligation", async () => obligation(await read(GetObligation, { id: text })));
  if (isId("lt", text))
    return one("LedgerTransaction", async () => transaction(await read(GetLedgerTransaction, { id: text })));
  return undefined;
}

/** The finders of a reference, of the start of a name, and of an amount if the text is one. */
export function findersByText(text: string, amountCents: number | null, read: Read): Finder[] {
  const limit = maxHitsPerKind;
  const byReference = <T>(
    kind: SearchKind,
    list: () => Promise<{ data: T[] }>,
    toHit: (found: T) => Hit,
  ) => ({
    kinds: [kind],
    find: async () => hits(kind, "Reference", (await list()).data.map(toHit)),
  });
  return [
    byReference("PaymentOrder", () => read(ListOrders, { externalId: [text], limit }), order),
    byReference("Counterparty", () => read(ListCounterparties, { externalId: [text], limit }), counterparty),
    byReference("VirtualAccount", () => read(ListVirtualAccounts, { externalId: [text], limit }), named),
    byReference("InboundPayment", () => read(ListInboundPayments, { bankReference: [text], limit }), inbound),
    byReference("Obligation", () => read(ListObligations, { reference: [text], limit }), obligation),
    byReference(
      "LedgerTransaction",
      () => read(ListLedgerTransactions, { externalId: [text], limit }),
      transaction,
    ),
    ...byName(text, read),
    ...(amountCents === null ? [] : byAmount(amountCents, read)),
  ];
}

/** The finders of the start of a name. */
function byName(text: string, read: Read): Finder[] {
  const asked = { prefix: text, limit: maxHitsPerKind };
  return [
    {
      kinds: ["Counterparty"],
      find: async () => {
        const { data } = await read(FindCounterpartiesByName, asked);
        const toHit = ({ account, ...party }: (typeof data)[number]) => ({
          ...named(party),
          ...firstAccount(account),
        });
        return hits("Counterparty", "Name", data.map(toHit));
      },
    },
    {
      kinds: ["PaymentOrder"],
      find: async () => {
        const { data } = await read(FindOrdersByPayee, asked);
        return hits("PaymentOrder", "Name", data.map(order));
      },
    },
    {
      kinds: ["LedgerAccount", "VirtualAccount"],
      find: async () => {
        const found = await read(FindAccountsByName, asked);
        return [
          ...hits("LedgerAccount", "Name", found.accounts.map(named)),
          ...hits("VirtualAccount", "Name", found.virtualAccounts.map(named)),
        ];
      },
    },
  ];
}

/** The finders of an exact amount. */
function byAmount(amountCents: number, read: Read): Finder[] {
  const limit = maxHitsPerKind;
  return [
    {
      kinds: ["PaymentOrder"],
      find: async () => {
        const equal = { "amountCents[gte]": amountCents, "amountCents[lte]": amountCents };
        const { data } = await read(ListOrders, { ...equal, limit });
        return hits("PaymentOrder", "Amount", data.map(order));
      },
    },
    {
      kinds: ["InboundPayment"],
      find: async () => {
        const { data } = await read(FindInboundPaymentsByAmount, { amountCents, limit });
        return hits("InboundPayment", "Amount", data.map(inbound));
      },
    },
  ];
}
