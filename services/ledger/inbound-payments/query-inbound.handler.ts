import { Controller, Inject } from "@nestjs/common";
import type { InboundPayment, InboundPaymentQuery } from "../../../contracts/http/ledger/inbound-payments.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import {
  FindInboundPaymentsByAmount,
  GetInboundPayment,
  ListInboundPayments,
} from "../../../contracts/messages/inbound.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { findByAmount, listInboundPayments } from "./store/list-inbound-payments.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { findInboundPayment, toInboundPayment } from "./store/inbound-payments.ts";

/** Inbound payments of the caller's own book. */
@Controller()
export class QueryInboundPayments {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetInboundPayment)
  async get({ id }: { id: string }, { caller }: RequestContext): Promise<InboundPayment> {
    if (!isId("ip", id)) throw notFound("inbound payment");
    const { book } = caller;
    const row = await readTenantSnapshot(this.#database, book, (sql) => findInboundPayment(sql, book, id));
    if (row === undefined) throw notFound("inbound payment");
    return toInboundPayment(row);
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListInboundPayments)
  async list(query: InboundPaymentQuery, { caller }: RequestContext): Promise<Page<InboundPayment>> {
    const asked = { ...query, list: "inbound-payments" };
    const page = { after: uuidAfter(asked), limit: query.limit };
    const filter = {
      statuses: query.status,
      virtualAccountIds: query.virtualAccountId,
      ledgerAccountIds: query.ledgerAccountId,
      bankReferences: query.bankReference,
      createdFrom: query["createdAt[gte]"],
      createdBefore: query["createdAt[lt]"],
    };
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql) =>
      listInboundPayments(sql, caller.book, filter, page),
    );
    return pageOfRows(rows, query.limit, toInboundPayment, (row) => row.inbound_payment_id, asked);
  }

  /** Newest first. */
  @HandlesRequest(FindInboundPaymentsByAmount)
  async byAmount(
    { amountCents, limit }: { amountCents: number; limit: number },
    { caller: { book } }: RequestContext,
  ): Promise<{ data: InboundPayment[] }> {
    const rows = await readTenantSnapshot(this.#database, book, (sql) =>
      findByAmount(sql, book, amountCents, limit),
    );
    return { data: rows.map(toInboundPayment) };
  }
}
