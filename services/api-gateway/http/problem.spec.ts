import { BadRequestException, HttpException, NotFoundException } from "@nestjs/common";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { problem } from "../../../contracts/http/problem.ts";
import { problemOf, refusalOf, internalError } from "./problem.ts";

const request = {
  requestId: "req_01jd",
  instance: "/v1/payment-orders/po_1/cancel",
  docsBaseUrl: "https://docs.quittance.example/errors/",
  writes: "Keyed",
} as const;

const fromFastify = (code: string, statusCode: number) =>
  new HttpException("refused", statusCode, {
    cause: Object.assign(new Error("refused"), { code, statusCode }),
  });

describe("a problem", () => {
  it("has the error, its remedy and the request's id", () => {
    const refusal = new Refusal("order_not_cancellable", "It is with the bank: wait for the outcome.", {
      context: { currentStatus: "Processing" },
    });
    expect(problemOf(refusal, request)).toEqual({
      status: 409,
      headers: { "content-type": "application/problem+json; charset=utf-8" },
      body: {
        type: "https://docs.quittance.example/errors/order_not_cancellable",
        title: "The order can no longer be cancelled",
        status: 409,
        detail: "It is with the bank: wait for the outcome.",
        instance: "/v1/payment-orders/po_1/cancel",
        code: "order_not_cancellable",
        requestId: "req_01jd",
        retryable: false,
        currentStatus: "Processing",
      },
    });
  });

  it("matches the contract, including errors of fields", () => {
    const errors = [{ pointer: "/rail", code: "invalid_field" as const, message: "is no rail" }];
    const { body } = problemOf(new Refusal("invalid_field", "Correct it.", { errors }), request);
    expect(problem.parse(body)).toEqual(body);
    expect(body.errors).toEqual(errors);
  });

  it("lists the standard members first, then the context", () => {
    const errors = [{ pointer: "/amountCents", code: "insufficient_funds" as const, message: "is too much" }];
    const context = { availableCents: 100, limitCents: 200 };
    const { body } = problemOf(new Refusal("insufficient_funds", "Send less.", { errors, context }), request);
    expect(Object.keys(body)).toEqual([
      "type",
      "title",
      "status",
      "detail",
      "instance",
      "code",
      "requestId",
      "retryable",
      "errors",
      "availableCents",
      "limitCents",
    ]);
  });

  it("keeps its standard members when an owner's context has members of the same names", () => {
    const { body } = problemOf(
      new Refusal("not_found", "Check the id.", { context: { status: 200, code: "ok" } }),
      request,
    );
    expect(body).toMatchObject({ status: 404, code: "not_found" });
  });

  it.each(["rate_limited", "service_unavailable", "idempotency_in_progress"] as const)(
    "asks for a pause after %s",
    (code) => {
      expect(problemOf(new Refusal(code, "Wait."), request).headers["retry-after"]).toBe("1");
    },
  );
});

describe("a failure of a write without an Idempotency-Key", () => {
  const unkeyed = { ...request, writes: "Unkeyed" } as const;

  it.each(["internal_error", "service_unavailable", "bank_statement_refused", "upstream_timeout"] as const)(
    "is not retryable after %s, because the write may have been carried out",
    (code) => {
      const answer = problemOf(new Refusal(code, "It failed."), unkeyed);
      expect(answer.body).toMatchObject({
        retryable: false,
        detail:
          "It failed. This request had no Idempotency-Key: read whether it was carried out before you send it again.",
      });
      expect(problemOf(new Refusal(code, "It failed."), request).body).toMatchObject({ retryable: true });
    },
  );

  it.each(["internal_error", "upstream_timeout"] as const)(
    "says after %s what may have been carried out: a keyed write, and nothing by a read",
    (code) => {
      const failed = (writes: "Keyed" | "Nothing") =>
        problemOf(new Refusal(code, "It failed."), { ...request, writes }).body;
      expect(failed("Keyed").detail).toBe(
        "It failed. The request may have been carried out: send it again with the same Idempotency-Key.",
      );
      expect(failed("Nothing")).toMatchObject({
        detail: "It failed. This request changes nothing: send it again.",
        retryable: true,
      });
    },
  );

  it("says no more than its owner where its outcome is known", () => {
    for (const writes of ["Keyed", "Nothing"] as const) {
      const { body } = problemOf(new Refusal("service_unavailable", "Wait."), { ...request, writes });
      expect(body).toMatchObject({ detail: "Wait.", retryable: true });
    }
  });

  it("stays retryable where nothing was carried out for sure", () => {
    const frozen = new Refusal("service_unavailable", "It is frozen.", { context: { bookFrozen: true } });
    expect(problemOf(frozen, unkeyed).body).toMatchObject({
      retryable: true,
      detail: "It is frozen.",
      bookFrozen: true,
    });
    expect(problemOf(new Refusal("rate_limited", "Wait."), unkeyed).body).toMatchObject({
      retryable: true,
      detail: "Wait.",
    });
  });
});

describe("an error", () => {
  it.each([
    [fromFastify("FST_ERR_CTP_BODY_TOO_LARGE", 413), "body_too_large"],
    [fromFastify("FST_ERR_CTP_INVALID_MEDIA_TYPE", 415), "unsupported_media_type"],
    [fromFastify("FST_ERR_CTP_INVALID_CONTENT_LENGTH", 400), "invalid_request"],
    [fromFastify("FST_ERR_MAX_PARAM_LENGTH", 414), "not_found"],
    [new NotFoundException(), "route_not_found"],
    [new BadRequestException(), "invalid_request"],
    [Object.assign(new Error("connect"), { code: "ECONNREFUSED" }), "service_unavailable"],
    [Object.assign(new Error("terminating connection"), { code: "57P01" }), "service_unavailable"],
    [new Refusal("name_taken", "Choose another."), "name_taken"],
  ])("of the kind %s is answered as %s", (error, code) => {
    expect(refusalOf(error)?.code).toBe(code);
  });

  it("that is unexpected shows no detail", () => {
    expect(refusalOf(new TypeError("x is undefined at secret"))).toBeUndefined();
    expect(refusalOf("thrown text")).toBeUndefined();
    expect(problemOf(internalError(), request).body).toMatchObject({
      status: 500,
      code: "internal_error",
      retryable: true,
    });
  });
});
