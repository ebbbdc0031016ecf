import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Controller, Get, Param, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import { projectRoot } from "../../platform/runtime/project-root.ts";
import { hasEntityTag } from "../http/entity-tag.ts";
import { ServedText } from "../http/served-text.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { ErrorPages } from "./error-pages.ts";
import { ReferencePage } from "./reference-page.ts";

const html = "text/html; charset=utf-8";

/** The pages about the API for people. They need no key, because their paths belong to no version. */
@Controller()
export class DocsController {
  readonly #page = new ReferencePage();
  readonly #errors = new ErrorPages();
  readonly #changelog = new ServedText(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8"), {
    "content-type": "text/markdown; charset=utf-8",
  });

  /** Each answer has a nonce of its own, so the `ETag` is that of the page without one. */
  @Get("docs")
  async reference(@Http() { request }: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    const { body, tag, contentSecurityPolicy } = await this.#page.html();
    reply.headers({ etag: tag, "cache-control": "no-cache" });
    // A 304 names no policy: the page that the browser has goes with the policy that it came with.
    if (hasEntityTag(request, tag)) await reply.status(304).send();
    else {
      const headers = { "content-type": html, "content-security-policy": contentSecurityPolicy };
      await reply.status(200).headers(headers).send(body);
    }
  }

  @Get("docs/scalar.js")
  async script(@Http() { request }: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    await (await this.#page.script()).send(request, reply);
  }

  @Get("changelog")
  changelog(@Http() { request }: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    return this.#changelog.send(request, reply);
  }

  @Get("errors")
  errors(@Http() { request }: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    return this.#errors.index.send(request, reply);
  }

  /** The page at a problem's `type`. Refusals: `not_found` for a code that does not exist. */
  @Get("errors/:code")
  async error(
    @Param("code") code: string,
    @Http() { request }: HttpContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = this.#errors.get(code);
    if (page === undefined)
      throw new Refusal("not_found", "There is no such error code. GET /errors lists all.");
    await page.send(request, reply);
  }
}
