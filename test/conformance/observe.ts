/** Checks the answer of every `fetch` of a test file against the OpenAPI document. */
import { AnswerChecker, type Exchanged, jsonOf } from "./answers.ts";
import { type OpenApi, readDocument } from "./document.ts";

type Fetch = typeof globalThis.fetch;

export interface Observation {
  /** Every answer that differs from the document, one line each. */
  readonly faults: readonly string[];
  /** How many answers were compared. */
  readonly checked: number;
  /** A `fetch` that throws when an answer differs from the document. */
  readonly fetch: Fetch;
}

/**
 * Checks the answers of the origins that `isOurs` selects against the document of their version. A difference fails
 * the call and is added to `faults`, in case the test catches the failure.
 */
export function observe(fetch: Fetch, isOurs: (origin: string) => boolean): Observation {
  const faults: string[] = [];
  const checkers = new Map<string, Promise<AnswerChecker>>();
  let checked = 0;
  const checkerAt = (origin: string, version: string) => {
    const key = `${origin}/${version}`;
    const checker =
      checkers.get(key) ??
      readDocument(`${key}/openapi.json`, fetch).then(checkerOf, (error: unknown) => {
        // The gateway may have been killed: the next answer asks again.
        checkers.delete(key);
        throw error;
      });
    checkers.set(key, checker);
    return checker;
  };
  return {
    faults,
    get checked() {
      return checked;
    },
    async fetch(input, init) {
      const request = input instanceof Request ? input : undefined;
      const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
      const [, version = ""] = pathname.split("/");
      if (!isOurs(origin) || !/^v\d+$/.test(version)) return fetch(input, init);
      const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
      const sent = jsonOf(init?.body ?? (await request?.clone().text()));
      const response = await fetch(input, init);
      const exchanged = await exchangedIn(response.clone(), method, pathname + search, sent);
      const found = (await checkerAt(origin, version)).faultsOf(exchanged);
      checked += 1;
      if (found.length === 0) return response;
      const fault = `${method} ${pathname}${search} → ${String(response.status)}: ${found.join("; ")}`;
      faults.push(fault);
      throw new Error(`the OpenAPI document did not foresee this answer: ${fault}`);
    },
  };
}

/** By the text of their document, which all gateways of a run share: each compiles its schemas once. */
const known = new Map<string, AnswerChecker>();

function checkerOf(document: OpenApi): AnswerChecker {
  const text = JSON.stringify(document);
  const checker = known.get(text) ?? new AnswerChecker(document);
  known.set(text, checker);
  return checker;
}

async function exchangedIn(
  response: Response,
  method: string,
  path: string,
  sent: unknown,
): Promise<Exchanged> {
  const { status, headers } = response;
  return { method, path, sent, status, headers, text: await response.text() };
}
