/** Requests to the API through its generated client, with the page's book in a header. */
import { client } from "../../../typescript/client.gen.ts";
import type { Problem } from "../../../typescript/types.gen.ts";
import { mode } from "../../book.ts";
import { ApiProblem, unreachable } from "./problem.ts";
import { unattendedHeader } from "./unattended.ts";

// Parsed as JSON whatever its type, so that an HTML page of a proxy counts as no answer.
client.setConfig({ baseUrl: location.origin, headers: { "Quittance-Mode": mode }, parseAs: "json" });
client.interceptors.request.use((request) => {
  for (const [name, value] of Object.entries(unattendedHeader())) request.headers.set(name, value);
  return request;
});

interface Result<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * Returns the body of a successful answer. Throws an ApiProblem for any other answer, and for one whose body does not
 * arrive whole: its outcome is unknown, so a write is sent again with the same Idempotency-Key.
 */
export async function bodyOf<T>(request: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (response === undefined || (response.ok && error !== undefined)) throw unreachable();
  if (response.ok) return data as T;
  throw new ApiProblem({ ...(error as Partial<Problem>), status: response.status });
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is not in the OpenAPI document: sign-in, sessions and step-up. Throws an ApiProblem. */
export async function callAuth<T>(
  method: "GET" | "POST" | "DELETE",
  path: string,
  { body, headers }: Sent = {},
): Promise<T> {
  const hasBody = body !== undefined;
  const response = await fetch(`/auth${path}`, {
    method,
    headers: {
      "Quittance-Mode": mode,
      ...unattendedHeader(),
      ...(hasBody ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw unreachable();
  });
  if (response.status === 204) return undefined as T;
  const answer: unknown = await response.json().catch(() => {
    if (response.ok) throw unreachable();
  });
  if (response.ok) return answer as T;
  throw new ApiProblem({ ...(answer as Partial<Problem> | undefined), status: response.status });
}
