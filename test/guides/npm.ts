/** An `npm` that takes packages from this repository, so that a guide's commands need no registry. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Refuses a package in another version than package.json names: a guide would go on to install the older one. */
const script = (root: string) => `#!/bin/sh
[ "$1" = install ] || { echo "npm $1: not in this test" >&2; exit 1; }
for package in "$@"; do
  case $package in
    ?*@?*) grep -qF "\\"\${package%@*}\\": \\"\${package##*@}\\"" '${root}/package.json' ||
      { echo "npm: $package is not the version of package.json" >&2; exit 1; } ;;
    install | --*) ;;
    *) echo "npm: $package has no version" >&2; exit 1 ;;
  esac
done
ln -s '${root}/node_modules' node_modules
`;

/** The folder to put on PATH. */
export async function folderWithNpm(dir: string, root: string): Promise<string> {
  const bin = join(dir, "npm");
  await mkdir(bin);
  await writeFile(join(bin, "npm"), script(root), { mode: 0o755 });
  return bin;
}
