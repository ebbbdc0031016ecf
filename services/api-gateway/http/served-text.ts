import type { FastifyReply, FastifyRequest } from "fastify";
import { entityTagOf, hasEntityTag } from "./entity-tag.ts";
import { gzip, takesGzip } from "./gzip.ts";

/** A text that stays the same while the process runs: sent with its `ETag`, and compressed once. */
export class ServedText {
  readonly #text: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;
  #compressed: Promise<Buffer> | undefined;

  constructor(text: string, headers: Readonly<Record<string, string>>) {
    this.#text = text;
    this.#headers = headers;
    this.#tag = entityTagOf(text);
  }

  /** Answers 304 without the text if the caller has it. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers({ etag: this.#tag, vary: "accept-encoding" });
    if (hasEntityTag(request, this.#tag)) return void (await reply.status(304).send());
    reply.status(200).headers(this.#headers);
    if (!takesGzip(request.headers["accept-encoding"])) return void (await reply.send(this.#text));
    this.#compressed ??= gzip(this.#text);
    await reply.header("content-encoding", "gzip").send(await this.#compressed);
  }
}
