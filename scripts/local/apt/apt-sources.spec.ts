import { describe, expect, it } from "vitest";
import { distributionSources, parseDeb822Sources, parseOneLineSources, renderDeb822 } from "./apt-sources.ts";
import { isRecentEnough } from "../nats/nats-binary.ts";

const DEB822 = `Types: deb deb-src
# a snapshot
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Types: deb
Enabled: no
URIs: http://unused.example/debian
Suites: bookworm
Components: main
`;

describe("a machine's package sources", () => {
  it("are read in the deb822 notation, without disabled ones", () => {
    expect(parseDeb822Sources(DEB822)).toEqual([
      {
        uris: ["http://mirror.example/debian"],
        suites: ["bookworm", "bookworm-updates"],
        components: ["main"],
        signedBy: "/usr/share/keyrings/debian-archive-keyring.gpg",
      },
      {
        uris: ["http://mirror.example/debian-security"],
        suites: ["bookworm-security"],
        components: ["main"],
      },
    ]);
  });

  it("are read in the one-line notation, without comments and source packages", () => {
    const text = `# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/etc/keys/a.gpg] http://mirror.example/debian bookworm main contrib # ours
deb-src http://mirror.example/debian bookworm main
deb [trusted=yes] file:/srv/packages ./
`;
    expect(parseOneLineSources(text)).toEqual([
      {
        uris: ["http://mirror.example/debian"],
        suites: ["bookworm"],
        components: ["main", "contrib"],
        signedBy: "/etc/keys/a.gpg",
      },
      { uris: ["file:/srv/packages"], suites: ["./"], components: [], trusted: true },
    ]);
  });

  it("count as the distribution only when they carry its own suite", () => {
    const thirdParty = { uris: ["http://tools.example"], suites: ["nodistro"], components: ["main"] };
    const own = distributionSources([...parseDeb822Sources(DEB822), thirdParty], "bookworm");
    expect(own).toEqual([
      {
        uris: ["http://mirror.example/debian"],
        suites: ["bookworm"],
        components: ["main"],
        signedBy: "/usr/share/keyrings/debian-archive-keyring.gpg",
      },
    ]);
    expect(renderDeb822(own, "trixie", ["main"])).toBe(`Types: deb
URIs: http://mirror.example/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`);
  });
});

describe("a nats-server's version", () => {
  it.each(["2.10.0", "2.10.27-1+b2", "2.12.1", "3.0.0"])("%s is recent enough", (version) => {
    expect(isRecentEnough(version)).toBe(true);
  });
  it.each(["2.9.10-1", "2.1.0", "1.99.9", ""])("%s is too old", (version) => {
    expect(isRecentEnough(version)).toBe(false);
  });
});
