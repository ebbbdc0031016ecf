import type { ArgumentMetadata, PipeTransform } from "@nestjs/common";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { isMergePatch } from "../../../contracts/http/shapes.ts";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
import { withoutNulls } from "./domain/nulls.ts";
import type { FieldFault } from "../../../contracts/errors.ts";
import { refusalOfFaults, refusalOfIssues } from "./validation-errors.ts";

const inOurWords = { error: issueMessage };

/**
 * Parses every `@Body` and `@Query` with its schema. Refusals: `missing_field`, `invalid_field`, `unknown_field`,
 * `unknown_parameter`, or `invalid_request` for errors of several kinds. In a body, null in an optional field counts as
 * absent, except in a PATCH, where it clears the field. Parameters without a schema (ids in the path) pass: the owning
 * service checks whether the resource exists.
 */
export class ValidatePipe implements PipeTransform {
  transform(value: unknown, { type, schema }: ArgumentMetadata): unknown {
    if (schema === undefined || (type !== "body" && type !== "query")) return value;
    // A missing body counts as `{}`, but null does not. A create then names the missing fields.
    const sent = value === undefined ? {} : value;
    if (type === "query") rejectNulCharacters(sent as Record<string, unknown>);
    const expected = schema as z.ZodType;
    const parsed = expected.safeParse(sent, inOurWords);
    if (parsed.success) return parsed.data;
    const { issues } = parsed.error;
    const lean = type === "body" && !isMergePatch(expected) ? withoutNulls(sent, issues) : sent;
    const again = lean === sent ? parsed : expected.safeParse(lean, inOurWords);
    if (again.success) return again.data;
    throw refusalOfIssues(again.error.issues, { value: lean, source: type, schema: expected });
  }
}

/** Refuses the parameters of a route that has none: `unknown_parameter`. Runs after authentication. */
export function rejectUnknownParameters(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { access = "public", takesQuery = false } = request.routeOptions.config;
  const names = takesQuery || access === "public" ? [] : Object.keys(request.query as object);
  if (names.length > 0) {
    throw refusalOfFaults(
      names.map((name) => ({
        pointer: `?${name}`,
        code: "unknown_parameter",
        message: "is not known here",
      })),
    );
  }
  done();
}

/** `%00` decodes to NUL, which Postgres can't store. json-body.ts has the same rule for bodies. */
function rejectNulCharacters(query: Record<string, unknown>): void {
  const faults = Object.entries(query)
    // The key of a pair is part of the parameter's name: `metadata[key]`.
    .filter(([name, value]) => `${name}${String(value)}`.includes("\0"))
    .map(
      ([name]): FieldFault => ({
        pointer: `?${name}`,
        code: "invalid_field",
        message: "has a NUL character",
      }),
    );
  if (faults.length > 0) throw refusalOfFaults(faults);
}
