/** The typed client that is generated from the OpenAPI document, as a tenant's backend would use it. */
import { type Client, createClient, createConfig } from "../../clients/typescript/client/index.ts";
import type { Answer } from "../../scripts/local/api.ts";

export * from "../../clients/typescript/sdk.gen.ts";
export type { Client };

declare global {
  /** The generated client names it, and Node's types have no word for it. */
  type BodyInit = NonNullable<RequestInit["body"]>;
}

/** A client that speaks with that key. It doesn't throw on a refusal: `answerOf` tells. */
export function clientOf(baseUrl: string, key: string): Client {
  return createClient(createConfig({ baseUrl, auth: key }));
}

type Result<T> = Promise<{ data?: T; error?: unknown; response?: Response }>;

/** The answer whatever it says: a test expects its status. Throws when there was none. */
export async function answerOf<T>(result: Result<T>): Promise<Answer<T>> {
  const { data, error, response } = await result;
  if (response === undefined) throw error instanceof Error ? error : new Error(String(error));
  return { status: response.status, body: (data ?? error) as T, headers: response.headers };
}

/** What was asked for. Throws the problem when it was refused. */
export async function bodyOf<T>(result: Result<T>): Promise<T> {
  const { data, error, response } = await result;
  if (data !== undefined && response?.ok === true) return data;
  if (error instanceof Error) throw error; // there was no answer
  throw new Error(`refused: ${JSON.stringify(error ?? String(response?.status))}`);
}
