import type { Problem } from "../../../typescript/types.gen.ts";
import { inDollars } from "../../parts/values/money.ts";
import { failureTexts } from "../../texts/shell.ts";

/** A refusal or failure of a request, as the API says it in problem+json. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly faults: NonNullable<Problem["errors"]>;
  /** Which line of an obligation is refused, from 0. */
  readonly lineIndex: number | null;

  constructor(problem: Partial<Problem> & { status: number }) {
    // The API's own words name headers, which a person has never sent.
    const words = problem.code === "precondition_failed" ? failureTexts.changed : problem;
    const { title = failureTexts.error } = words;
    const detail = inDollars(words.detail ?? "");
    super(`${title}: ${detail}`);
    this.status = problem.status;
    this.code = problem.code ?? "unknown";
    this.title = title;
    this.detail = detail;
    this.requestId = problem.requestId ?? null;
    this.retryable = problem.retryable ?? problem.status >= 500;
    this.faults = (problem.errors ?? []).map((fault) => ({ ...fault, message: inDollars(fault.message) }));
    this.lineIndex = lineIndexOf(problem["line"]);
  }
}

function lineIndexOf(line: unknown): number | null {
  if (typeof line !== "object" || line === null || !("index" in line)) return null;
  return typeof line.index === "number" ? line.index : null;
}

/** No answer at all: the network or the gateway fails. */
export function unreachable(): ApiProblem {
  const { title, detail } = failureTexts.unreachable;
  return new ApiProblem({ status: 0, title, detail, retryable: true });
}

/** Any thrown value as a problem, so that every failure is shown in one form. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const { title, detail } = failureTexts.bug;
  return new ApiProblem({ status: 500, title, detail, retryable: false });
}

/**
 * True if the answer says that no request with this Idempotency-Key was carried out. 401 and 403 don't say it, because
 * the caller is checked before the key. After any other failure nobody knows.
 */
export function freesKey(error: unknown): boolean {
  if (!(error instanceof ApiProblem) || error.retryable) return false;
  return error.status !== 401 && error.status !== 403;
}

/** What the API says about a wrong field of the body, found by its JSON pointer. */
export function faultsOf(error: unknown): (pointer: string) => string | undefined {
  if (!(error instanceof ApiProblem)) return () => undefined;
  return (pointer) => error.faults.find((fault) => fault.pointer === pointer)?.message;
}
