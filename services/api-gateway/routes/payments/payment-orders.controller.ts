import { Body, Controller, Get, Inject, Param, Patch, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import type { ErrorCode } from "../../../../contracts/errors.ts";
import {
  type PaymentOrderQuery,
  paymentOrderQueryString,
} from "../../../../contracts/http/payments/payment-order-query.ts";
import {
  type PaymentOrderPreview,
  paymentOrderPreview,
  paymentOrderPreviewBody,
} from "../../../../contracts/http/payments/payment-order-preview.ts";
import {
  approvalBody,
  cancelBody,
  denyBody,
  type PaymentOrder,
  paymentOrder,
  paymentOrderBody,
  type PaymentOrderChange,
  paymentOrderChangePage,
  paymentOrderChangeQuery,
  type PaymentOrderCreate,
  paymentOrderPage,
  type PaymentOrderPatch,
  paymentOrderPatchBody,
} from "../../../../contracts/http/payments/payment-orders.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  ApproveOrder,
  CancelOrder,
  CreateOrder,
  DenyOrder,
  GetOrder,
  ListOrderChanges,
  ListOrders,
  PreviewOrder,
  SubmitOrder,
  UpdateOrder,
} from "../../../../contracts/messages/orders.ts";
import { SecretCipher } from "../../../platform/encryption/secret-cipher.ts";
import { SendApprovalRights } from "../../keys/send-approval-rights.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { noBody } from "../../operation/no-body.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { isAtRest, isFinal, OrderWaiter, waitsForOrder } from "../../upstream/wait-for-order.ts";
import { controls } from "./submission-refusals.ts";

const orderId = { id: "po" } as const;
/** For a counterparty in the body that is not in the book. */
const bodyRefusals: readonly ErrorCode[] = ["not_found"];

/** Payment orders. Each route sends a request to orders. */
@ApiTags("Payment orders")
@Controller("v1/payment-orders")
export class PaymentOrdersController {
  readonly #services: ServiceClient;
  readonly #orderWaiter: OrderWaiter;
  readonly #cipher: SecretCipher;
  readonly #rights: SendApprovalRights;

  constructor(
    @Inject(ServiceClient) services: ServiceClient,
    @Inject(OrderWaiter) orderWaiter: OrderWaiter,
    @Inject(SecretCipher) cipher: SecretCipher,
    @Inject(SendApprovalRights) rights: SendApprovalRights,
  ) {
    this.#services = services;
    this.#orderWaiter = orderWaiter;
    this.#cipher = cipher;
    this.#rights = rights;
  }

  @Post()
  @Operation({
    id: "createPaymentOrder",
    summary: "Create a payment order",
    access: "orders:write",
    takes: ["body"],
    writes: true,
    waits: waitsForOrder,
    answers: { status: 201, schema: paymentOrder, as: "The order" },
    refusals: [...controls, ...bodyRefusals],
  })
  async create(
    @Body({ schema: paymentOrderBody }) body: PaymentOrderCreate,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    // The number leaves this process only encrypted.
    const { counterpartyAccountNumber: number, ...rest } = body;
    const encrypted = number === undefined ? {} : { counterpartyAccountNumber: this.#cipher.encrypt(number) };
    const { value: order, replayed } = await this.#services.write(CreateOrder, http, {
      ...rest,
      ...encrypted,
    });
    http.setLocation(`/v1/payment-orders/${order.id}`);
    return replayed ? order : this.#orderWaiter.until(http, order, isAtRest);
  }

  @Post("preview")
  @Operation({
    id: "previewPaymentOrder",
    summary: "Preview a payment order",
    access: "orders:write",
    takes: ["body"],
    answers: { status: 200, schema: paymentOrderPreview, as: "The preview" },
    refusals: [...controls, ...bodyRefusals, "insufficient_funds", "balance_out_of_range"],
  })
  preview(
    @Body({ schema: paymentOrderPreviewBody }) body: Omit<PaymentOrderCreate, "submit">,
    @Http() http: HttpContext,
  ): Promise<PaymentOrderPreview> {
    const { counterpartyAccountNumber: number, ...rest } = body;
    const encrypted = number === undefined ? {} : { counterpartyAccountNumber: this.#cipher.encrypt(number) };
    return this.#services.read(PreviewOrder, http, { ...rest, ...encrypted });
  }

  @Get()
  @Operation({
    id: "listPaymentOrders",
    summary: "List payment orders",
    access: "orders:read",
    takes: ["query"],
    answers: { status: 200, schema: paymentOrderPage, as: "A page of orders" },
  })
  async list(
    @Query({ schema: paymentOrderQueryString }) query: PaymentOrderQuery,
    @Http() http: HttpContext,
  ): Promise<Page<PaymentOrder>> {
    const page = await this.#services.read(ListOrders, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getPaymentOrder",
    summary: "Read a payment order",
    access: "orders:read",
    path: orderId,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<PaymentOrder> {
    return this.#services.read(GetOrder, http, { id, mayApprove: http.known.scopes.has("orders:approve") });
  }

  @Get(":id/changes")
  @Operation({
    id: "listPaymentOrderChanges",
    summary: "List the changes of a payment order",
    access: "orders:read",
    path: orderId,
    takes: ["query"],
    answers: { status: 200, schema: paymentOrderChangePage, as: "A page of changes" },
  })
  async changes(
    @Param("id") id: string,
    @Query({ schema: paymentOrderChangeQuery }) query: z.infer<typeof paymentOrderChangeQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<PaymentOrderChange>> {
    const page = await this.#services.read(ListOrderChanges, http, { ...query, id });
    http.linkTo(page);
    return page;
  }

  @Patch(":id")
  @Operation({
    id: "updatePaymentOrder",
    summary: "Update a payment order",
    access: "orders:write",
    path: orderId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
    refusals: [
      "order_frozen",
      "concurrent_update",
      "counterparty_account_missing",
      "counterparty_archived",
      "ledger_account_not_found",
      "system_account_not_postable",
    ],
  })
  async update(
    @Param("id") id: string,
    @Body({ schema: paymentOrderPatchBody }) body: PaymentOrderPatch,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    const { counterpartyAccountNumber: number, ...rest } = body;
    const encrypted =
      typeof number === "string"
        ? { counterpartyAccountNumber: this.#cipher.encrypt(number) }
        : { counterpartyAccountNumber: number };
    return (await this.#services.write(UpdateOrder, http, { ...rest, ...encrypted, id })).value;
  }

  @Post(":id/submit")
  @Operation({
    id: "submitPaymentOrder",
    summary: "Submit a draft payment order",
    access: "orders:write",
    path: orderId,
    takes: ["body"],
    writes: true,
    waits: waitsForOrder,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
    refusals: ["invalid_state_transition", ...controls],
  })
  async submit(
    @Param("id") id: string,
    @Body({ schema: noBody }) _body: object,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    const { value: order, replayed } = await this.#services.write(SubmitOrder, http, { id });
    return replayed ? order : this.#orderWaiter.until(http, order, isAtRest);
  }

  @Post(":id/approve")
  @Operation({
    id: "approvePaymentOrder",
    summary: "Approve a payment order",
    audited: "PaymentOrderApproved",
    access: "orders:approve",
    path: orderId,
    takes: ["body"],
    writes: true,
    waits: waitsForOrder,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
    refusals: [
      "self_approval_not_allowed",
      "duplicate_approval",
      "order_changed",
      "invalid_state_transition",
    ],
  })
  async approve(
    @Param("id") id: string,
    @Body({ schema: approvalBody }) body: z.infer<typeof approvalBody>,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    const right = await this.#rights.rightOf(http.known);
    const { value: order, replayed } = await this.#services.write(ApproveOrder, http, { id, ...body, right });
    return replayed ? order : this.#orderWaiter.until(http, order, isAtRest);
  }

  @Post(":id/deny")
  @Operation({
    id: "denyPaymentOrder",
    summary: "Deny a payment order",
    audited: "PaymentOrderDenied",
    access: "orders:approve",
    path: orderId,
    takes: ["body"],
    writes: true,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
    refusals: ["invalid_state_transition"],
  })
  async deny(
    @Param("id") id: string,
    @Body({ schema: denyBody }) body: z.infer<typeof denyBody>,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    return (await this.#services.write(DenyOrder, http, { id, ...body })).value;
  }

  @Post(":id/cancel")
  @Operation({
    id: "cancelPaymentOrder",
    summary: "Cancel a payment order",
    access: "orders:write",
    path: orderId,
    takes: ["body"],
    writes: true,
    waits: waitsForOrder,
    answers: { status: 200, schema: paymentOrder, as: "The order" },
    refusals: ["order_not_cancellable"],
  })
  async cancel(
    @Param("id") id: string,
    @Body({ schema: cancelBody }) body: z.infer<typeof cancelBody>,
    @Http() http: HttpContext,
  ): Promise<PaymentOrder> {
    const { value: order, replayed } = await this.#services.write(CancelOrder, http, { id, ...body });
    return replayed ? order : this.#orderWaiter.until(http, order, isFinal);
  }
}
