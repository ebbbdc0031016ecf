/** `docker-compose.yml` as Docker reads it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export interface Container {
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: readonly string[] | Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly depends_on?: Readonly<Record<string, { condition: string; restart?: boolean }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [setting: string]: unknown;
}

const file = readFileSync(join(import.meta.dirname, "../../docker-compose.yml"), "utf8");

/** The file as `docker compose config` renders it: variables from the shell or their defaults, then merged. */
export function render(shell: Readonly<Record<string, string>> = {}) {
  const text = file.replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, otherwise: string) => shell[name] || otherwise,
  );
  return parse(text, { merge: true }) as {
    services: Readonly<Record<string, Container>>;
    volumes: Readonly<Record<string, unknown>>;
  };
}

export interface Mount {
  readonly volume: string;
  readonly at: string;
  readonly writable: boolean;
}
export const mountsOf = ({ volumes = [] }: Container): Mount[] =>
  volumes.map((mount) => {
    const [volume = "", at = "", mode] = mount.split(":");
    return { volume, at, writable: mode !== "ro" };
  });
