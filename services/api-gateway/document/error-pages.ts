import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../platform/runtime/project-root.ts";
import { ServedText } from "../http/served-text.ts";

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
  pre { background: #f3f3f3; padding: 1rem; overflow-x: auto; }
  @media (prefers-color-scheme: dark) {
    body { background: #16181c; color: #e6e6e6; } a { color: #8ab4f8; } pre { background: #24272d; }
  }`;

/** One page per error code, from `docs/errors.md`. Each stands at the `type` of its problems. */
export class ErrorPages {
  readonly #pages: ReadonlyMap<string, ServedText>;
  /** The page that lists the others. */
  readonly index: ServedText;

  constructor() {
    const [intro = "", ...entries] = readFileSync(join(projectRoot, "docs/errors.md"), "utf8").split(
      /^### /m,
    );
    const codes = entries.map((entry) => entry.split("\n", 1)[0] ?? "");
    this.#pages = new Map(entries.map((entry, index) => [codes[index] ?? "", pageOf(entry)]));
    const links = codes.map((code) => `<li><a href="/errors/${code}"><code>${code}</code></a></li>`);
    const [, about = ""] = intro.split(/\n\n/);
    this.index = html("Errors", `${blockOf(about)}<ul>${links.join("")}</ul>`);
  }

  get(code: string): ServedText | undefined {
    return this.#pages.get(code);
  }
}

/** An entry begins with its code, and ends where the next status has its heading. */
function pageOf(entry: string): ServedText {
  const [code = "", ...blocks] = entry
    .replace(/^## .*$/m, "")
    .trim()
    .split(/\n\n/);
  return html(code, `${blocks.map(blockOf).join("")}<p><a href="/errors">All errors</a></p>`);
}

/** `docs/errors.md` has paragraphs and examples, with `code` and **bold** text in them. */
function blockOf(block: string): string {
  const example = /^```json\n([^]*)\n```$/.exec(block)?.[1];
  if (example !== undefined) return `<pre><code>${escapeHtml(example)}</code></pre>`;
  const text = escapeHtml(block)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
  return `<p>${text}</p>`;
}

function html(title: string, body: string): ServedText {
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}
</style>
<h1>${title}</h1>
${body}
</html>
`;
  return new ServedText(text, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
