/** Runs the ```sh blocks of a guide, in order and in one shell, as a reader pastes them. */
import { spawn } from "node:child_process";
import { patienceMs } from "../stack/until.ts";

export interface Guide {
  /** Named in the failure. */
  readonly page: string;
  readonly markdown: string;
}

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A refused request fails its block, and its answer is shown even where the block pipes it away. A request that a
 * service did not answer is repeated.
 */
const refusingCurl = `
mkdir -p .bin
cat > .bin/curl <<END
#!/usr/bin/env bash
[[ "\\$*" == *Idempotency-Key* ]] || set -- "\\$@" -H "Idempotency-Key: guide-\\$\\$-\\$RANDOM"
for try in {1..30}; do
  answer=\\$('$(command -v curl)' --fail-with-body "\\$@")
  code=\\$?
  [[ \\$code = 22 && \\$answer =~ service_unavailable|upstream_timeout ]] || break
  sleep 1
done
[ \\$code = 0 ] || printf '%s\\n' "\\$answer" >&2
printf '%s\\n' "\\$answer"
exit \\$code
END
chmod +x .bin/curl
PATH=$PWD/.bin:$PATH`;

/** The code of every ```sh block of a page. */
export function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
}

/**
 * Runs the blocks of the guides, one after the other. Rejects when a command fails or the API refuses a request; the
 * message names the page, the number of the block and the command.
 */
export async function runGuides(guides: readonly Guide[], options: ShellOptions): Promise<string> {
  const script = [
    "set -euo pipefail",
    refusingCurl,
    'trap \'printf "%s\\n" "$at: $BASH_COMMAND" >&2\' ERR',
    ...guides.flatMap(({ page, markdown }) =>
      blocksOf(markdown).flatMap((code, index) => [
        `at='${page}, block ${String(index + 1)}'`,
        'echo "# $at"',
        code,
      ]),
    ),
  ].join("\n");
  const shell = spawn("bash", ["-c", script], {
    cwd: options.cwd,
    env: options.env,
    timeout: 2 * patienceMs,
  });
  let [output, errors] = ["", ""];
  shell.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  shell.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    shell.on("error", reject);
    shell.on("close", resolve);
  });
  if (code === 0) return output;
  throw new Error(`a guide failed\n${errors}\nits output ended with\n${output.slice(-1_500)}`);
}
