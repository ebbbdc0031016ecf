import { randomBytes } from "node:crypto";
import { currentVersion } from "../../../contracts/http/versions.ts";
import { entityTagOf } from "../http/entity-tag.ts";
import { ServedText } from "../http/served-text.ts";

const prefix = "/docs";
/** Placeholder for the nonce; each answer gets a new one. */
const nonceMark = "nonce-of-this-answer";

interface Page {
  readonly html: string;
  readonly tag: string;
  readonly script: ServedText;
}
interface Html {
  readonly body: string;
  /** Of the page without its nonce. */
  readonly tag: string;
  /** Lets the browser load from this host only. */
  readonly contentSecurityPolicy: string;
}

/**
 * Scalar's reference page. Script and document come from this host, fonts are the reader's own, and features that call
 * Scalar's servers are off. The content security policy also binds later versions of Scalar.
 */
export class ReferencePage {
  #page: Promise<Page> | undefined;

  async html(): Promise<Html> {
    const nonce = randomBytes(16).toString("base64");
    const { html, tag } = await this.#loaded();
    return {
      body: html.replaceAll(nonceMark, nonce),
      tag,
      contentSecurityPolicy: [
        "default-src 'none'",
        `script-src 'nonce-${nonce}'`,
        // Scalar's script adds its styles to the page.
        "style-src 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
    };
  }

  async script(): Promise<ServedText> {
    return (await this.#loaded()).script;
  }

  #loaded(): Promise<Page> {
    this.#page ??= load();
    return this.#page;
  }
}

/** The page's script has 4 MB and takes half a second to read, so it is read at the first request for the page. */
async function load(): Promise<Page> {
  const [{ fastify }, { default: scalar }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference"),
  ]);
  const server = fastify();
  await server.register(scalar, {
    routePrefix: prefix,
    configuration: {
      url: `/${currentVersion}/openapi.json`,
      pageTitle: "Quittance API",
      cdn: `${prefix}/scalar.js`,
      nonce: nonceMark,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  });
  const [html, script] = await Promise.all([
    server.inject(`${prefix}/`),
    server.inject(`${prefix}/js/scalar.js`),
  ]);
  await server.close();
  const headers = {
    "content-type": "application/javascript; charset=utf-8",
    "cache-control": "max-age=3600",
  };
  return { html: html.body, tag: entityTagOf(html.body), script: new ServedText(script.body, headers) };
}
