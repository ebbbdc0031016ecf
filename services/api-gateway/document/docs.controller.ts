import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Controller, Get, Header, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { projectRoot } from "../../platform/runtime/project-root.ts";
import { ReferencePage } from "./reference-page.ts";

const cacheForAnHour = "max-age=3600";

/** The pages about the API for people. They need no key, because their paths belong to no version. */
@Controller()
export class DocsController {
  readonly #page = new ReferencePage();
  readonly #changelog = readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8");

  @Get("docs")
  @Header("content-type", "text/html; charset=utf-8")
  async reference(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { body, contentSecurityPolicy } = await this.#page.html();
    reply.header("content-security-policy", contentSecurityPolicy);
    return body;
  }

  @Get("docs/scalar.js")
  @Header("content-type", "application/javascript; charset=utf-8")
  @Header("cache-control", cacheForAnHour)
  script(): Promise<string> {
    return this.#page.script();
  }

  @Get("changelog")
  @Header("content-type", "text/markdown; charset=utf-8")
  changelog(): string {
    return this.#changelog;
  }
}
