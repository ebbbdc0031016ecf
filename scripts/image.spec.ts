import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { bundlerFor, services } from "./build/bundle.ts";
import { nodeOptions } from "./local/system.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const json = <T>(path: string) => JSON.parse(read(path)) as T;
interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe("the version of Node", () => {
  const pinned = read(".node-version").trim();

  it("is one for the checkout, the tests and the image", () => {
    expect(pinned).toMatch(/^\d+\.\d+\.\d+$/);
    const { dependencies } = json<Package>("package.json");
    const lock = json<{ packages: Record<string, { version: string }> }>("package-lock.json");
    const dockerfile = read("deploy/Dockerfile");
    expect({
      package: dependencies["node"],
      lock: lock.packages["node_modules/node"]?.version,
      running: process.versions.node,
      image: /^ARG NODE_VERSION=(.*)$/m.exec(dockerfile)?.[1],
    }).toEqual({ package: pinned, lock: pinned, running: pinned, image: pinned });
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual(["node:${NODE_VERSION}-slim", "node:${NODE_VERSION}-slim"]);
  });

  it("is that of the types, and newer than what installs it", () => {
    const { devDependencies, engines } = json<Package>("package.json");
    const major = (version: string | undefined) => Number(/\d+/.exec(version ?? "")?.[0]);
    expect(major(devDependencies["@types/node"])).toBe(major(pinned));
    expect(engines.node).toBe(">=20");
    expect(major(pinned)).toBeGreaterThanOrEqual(major(engines.node));
    for (const page of ["README.md", "Makefile"]) expect(read(page)).toContain("Node 20 or newer");
  });
});

describe("the image", async () => {
  it("starts a service with the same options of Node as a checkout", () => {
    const [, entrypoint] = /^ENTRYPOINT (.*)$/m.exec(read("deploy/Dockerfile")) ?? [];
    expect(JSON.parse(entrypoint ?? "[]")).toEqual(["/usr/local/bin/node", ...nodeOptions]);
  });

  const listed = execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "deploy/tsconfig.json", "--listFilesOnly"],
    { cwd: root, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 },
  );
  await using bundler = await bundlerFor(services);
  const { output } = await bundler.generate();
  const bundled = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  const files = [...listed.split("\n"), ...bundled];
  const sources = [...new Set(files)]
    .filter((path) => path.startsWith(root) && path.endsWith(".ts") && !path.includes("/node_modules/"))
    .map((path) => path.slice(root.length + 1));

  it("contains the services and the operator's commands, and no specs, tests or bench", () => {
    for (const entry of [
      ...["api-gateway", "orders", "ledger", "rails-simulator", "webhooks"].map(
        (folder) => `services/${folder}/main.ts`,
      ),
      "scripts/compose.ts",
      "scripts/operator/tenants.ts",
    ])
      expect(sources).toContain(entry);
    expect(sources.filter((path) => !/^(contracts|services|scripts)\//.test(path))).toEqual([]);
    expect(sources.filter((path) => path.endsWith(".spec.ts"))).toEqual([]);
  });

  it("is built from a context without specs, tests, bench and local data", () => {
    const ignored = read(".dockerignore").trim().split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining([".git", ".local", "node_modules", "dist", "test", "bench", "**/*.spec.ts"]),
    );
    const copied = [...read("deploy/Dockerfile").matchAll(/^COPY (.*)$/gm)].map(([, what]) => what);
    const manifest = "package.json package-lock.json ./";
    const native = ["@node-rs", "@koromix"].map((scope) => `node_modules/${scope}`);
    expect(copied).toEqual([
      manifest,
      ". .",
      manifest,
      ...native.map((folder) => `--from=build /app/${folder} ./${folder}`),
      "--from=build /app/image ./",
    ]);
  });

  it("copies the native code that npm installs as optional packages", () => {
    const { packages } = json<{ packages: Record<string, LockedPackage> }>("package-lock.json");
    const needed = Object.entries(packages).filter(
      ([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true,
    );
    const native = needed
      .flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies).map((name) =>
          [`${path}/node_modules/${name}`, `node_modules/${name}`].find((at) => at in packages),
        ),
      )
      .filter((path) => path !== undefined && packages[path]?.cpu !== undefined);
    const folders = new Set(native.map((path) => path?.split("/").slice(0, 2).join("/")));
    const copied = [...read("deploy/Dockerfile").matchAll(/^COPY --from=build \/app\/(node_modules\/\S+)/gm)];
    expect([...folders]).not.toEqual([]);
    expect(new Set(copied.map(([, folder]) => folder))).toEqual(folders);
  });

  it("has every package that it imports", () => {
    const { dependencies } = json<Package>("package.json");
    const imported = sources.flatMap((path) =>
      ts.preProcessFile(read(path)).importedFiles.map(({ fileName }) => fileName),
    );
    const packages = imported
      .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      );
    // Comes with Nest's adapter, which chooses its version.
    const provided = new Set([...Object.keys(dependencies), "fastify"]);
    expect([...new Set(packages)].filter((name) => !provided.has(name))).toEqual([]);
  });
});
