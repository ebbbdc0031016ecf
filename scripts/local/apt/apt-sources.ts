/** Reads the package sources of a Debian or Ubuntu machine, in both of apt's notations. Pure. */

/** One archive that this machine already trusts. */
export interface AptSource {
  uris: string[];
  suites: string[];
  components: string[];
  /** Key file or inline key, exactly as the machine has it. */
  signedBy?: string;
  trusted?: boolean;
}

/** `deb [signed-by=/x] https://mirror/debian bookworm main`. Source: sources.list(5), one-line style. */
export function parseOneLineSources(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split("\n")) {
    const match = /^deb\s+(?:\[(?<options>[^\]]*)\]\s+)?(?<uri>\S+)\s+(?<suite>\S+)(?<components>[^#]*)/.exec(
      line.trim(),
    );
    const { options = "", uri, suite, components = "" } = match?.groups ?? {};
    if (!uri || !suite) continue;
    const signedBy = /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1];
    sources.push({
      uris: [uri],
      suites: [suite],
      components: words(components),
      ...(signedBy ? { signedBy } : {}),
      ...(/(?:^|\s)trusted=yes/i.test(options) ? { trusted: true } : {}),
    });
  }
  return sources;
}

/** Paragraphs of `Types:`, `URIs:`, `Suites:` … Source: sources.list(5), deb822 style. */
export function parseDeb822Sources(text: string): AptSource[] {
  const withoutComments = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
  return withoutComments
    .split(/\n\s*\n/)
    .map(parseFields)
    .filter((fields) => words(fields.get("types")).includes("deb") && fields.get("enabled") !== "no")
    .map((fields) => {
      const signedBy = fields.get("signed-by");
      return {
        uris: words(fields.get("uris")),
        suites: words(fields.get("suites")),
        components: words(fields.get("components")),
        ...(signedBy ? { signedBy } : {}),
        ...(fields.get("trusted") === "yes" ? { trusted: true } : {}),
      };
    });
}

function parseFields(paragraph: string): Map<string, string> {
  const fields = new Map<string, string>();
  let name = "";
  for (const line of paragraph.split("\n")) {
    const field = /^([A-Za-z-]+):\s*(.*)$/.exec(line);
    if (field?.[1]) {
      name = field[1].toLowerCase();
      fields.set(name, field[2] ?? "");
    } else if (name && /^\s/.test(line)) {
      fields.set(name, `${fields.get(name)}\n${line}`);
    }
  }
  return fields;
}

function words(text = ""): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** The sources that carry the distribution itself: not its security or update pockets, no third party. */
export function distributionSources(sources: readonly AptSource[], codename: string): AptSource[] {
  return sources
    .filter((source) => source.suites.includes(codename) && source.components.includes("main"))
    .map((source) => ({ ...source, suites: [codename] }));
}

/** The same archives with another suite, in deb822 notation. */
export function renderDeb822(
  sources: readonly AptSource[],
  suite: string,
  components: readonly string[],
): string {
  return sources
    .map((source) =>
      [
        "Types: deb",
        `URIs: ${source.uris.join(" ")}`,
        `Suites: ${suite}`,
        `Components: ${components.join(" ")}`,
        ...(source.signedBy ? [`Signed-By: ${source.signedBy}`] : []),
        ...(source.trusted ? ["Trusted: yes"] : []),
        "",
      ].join("\n"),
    )
    .join("\n");
}
