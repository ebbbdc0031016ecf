import type { FastifyReply, FastifyRequest } from "fastify";
import { entityTagOf, hasEntityTag } from "./entity-tag.ts";
import { type Coding, codingFor, compress } from "./compression.ts";

/**
 * A text that stays the same while the process runs: sent with its `ETag`, and compressed once for each coding. Unless
 * its headers say otherwise, caches keep it and ask each time whether it is still the same.
 */
export class ServedText {
  /** Encoded once: of a string, each connection that does not read its answer would hold a copy. */
  readonly #text: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;
  readonly #compressed = new Map<Coding, Promise<Buffer>>();

  constructor(text: string, headers: Readonly<Record<string, string>>) {
    this.#text = Buffer.from(text);
    this.#headers = { "cache-control": "no-cache", ...headers };
    this.#tag = entityTagOf(text);
  }

  /** Answers 304 without the text if the caller has it. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { "cache-control": caching } = this.#headers;
    reply.headers({ etag: this.#tag, vary: "accept-encoding", "cache-control": caching });
    if (hasEntityTag(request, this.#tag)) return void (await reply.status(304).send());
    reply.status(200).headers(this.#headers);
    const coding = codingFor(request.headers["accept-encoding"]);
    if (coding === undefined) return void (await reply.send(this.#text));
    await reply.header("content-encoding", coding).send(await this.#in(coding));
  }

  #in(coding: Coding): Promise<Buffer> {
    const compressed = this.#compressed.get(coding) ?? compress(this.#text, coding);
    this.#compressed.set(coding, compressed);
    return compressed;
  }
}
