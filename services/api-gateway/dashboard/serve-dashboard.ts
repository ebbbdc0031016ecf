import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fastifyStatic } from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { projectRoot } from "../../platform/runtime/project-root.ts";
import { ServedText } from "../http/served-text.ts";

/** Where `make build` puts the dashboard. */
const builtFolder = join(projectRoot, "dist/dashboard");

/** The page loads from this host alone, runs no inline code, and no other page can frame it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  // Asked for each time, and answered 304 while it is the same.
  "cache-control": "no-cache",
};

const firstPage = "/test/approvals";

/**
 * Serves the dashboard for people: one page for all of its addresses, and its assets, whose names change with their
 * content. Without a build there is nothing to serve, and its paths are 404.
 */
export function serveDashboard(fastify: FastifyInstance, folder: string = builtFolder): void {
  const file = join(folder, "index.html");
  if (!existsSync(file)) return;
  void fastify.register(fastifyStatic, {
    root: join(folder, "assets"),
    prefix: "/assets/",
    index: false,
    preCompressed: true,
    decorateReply: false,
    immutable: true,
    maxAge: "365d",
    setHeaders: (reply) => void reply.header("x-content-type-options", "nosniff"),
  });
  const page = servedFile(file);
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const elsewhere = onLocalhost(request);
    await (elsewhere === undefined ? page().send(request, reply) : reply.redirect(elsewhere));
  };
  for (const path of ["/test", "/test/*", "/live", "/live/*"]) fastify.get(path, answer);
  fastify.get("/", (request, reply) => reply.redirect(onLocalhost(request, firstPage) ?? firstPage));
}

/**
 * Returns the page of the newest build. A build changes the names of the assets, and removes the old ones after a day:
 * the page that was read at the start would then stay blank. While the file is missing, the last page is served.
 */
function servedFile(file: string): () => ServedText {
  let readAtMs = 0;
  let text = "";
  let served: ServedText | undefined;
  return () => {
    const changedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? readAtMs;
    if (served === undefined || changedAtMs !== readAtMs) {
      const newest = readFileSync(file, "utf8");
      if (newest !== text || served === undefined) served = new ServedText(newest, pageHeaders);
      text = newest;
      readAtMs = changedAtMs;
    }
    return served;
  };
}

/** Passkeys need a name: browsers refuse them on 127.0.0.1, and take them on localhost. */
function onLocalhost({ headers, url }: FastifyRequest, path = url): string | undefined {
  const [, port] = /^127\.0\.0\.1(:\d+)?$/.exec(headers.host ?? "") ?? [];
  return port === undefined ? undefined : `http://localhost${port}${path}`;
}
