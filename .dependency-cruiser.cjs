// Who may import whom. test/architecture.spec.ts plants a violation of every rule and asserts it is caught.

const SPEC = "\\.spec\\.ts$";
const SERVICES = "^services/(?!platform/)";
// Packages that connect to Postgres.
const DATABASE_DRIVER = "(^|node_modules/)(@mikro-orm/|pg(/|$)|knex(/|$)|kysely(/|$))";

// The pure model: a service's kernel (ledger/book, orders/order) and the domain/ of each capability.
const PURE_FOLDER = "^services/[^/]+/(book|order|domain|[^/]+/domain)/";

// Ids need the TypeID codec, and the banking calendar needs the rules of time zones.
const CALCULATING_CONTRACTS = "^contracts/(ids/[^/]+|rails/banking-calendar)\\.ts$";

// Each service's folders, from the one that may import all others to the one that imports none.
const CAPABILITIES = require("./scripts/checks/capabilities.json");

/** For each folder of a service, the folders above it that it must not import. */
const capabilitiesPointDown = Object.entries(CAPABILITIES).flatMap(([service, folders]) =>
  folders.slice(1).map((folder, index) => ({
    name: "capabilities-point-down",
    comment:
      `${folder}/ is below ${folders.slice(0, index + 1).join("/, ")}/. Move what both need into ${folder}/ or below, ` +
      "or change the order in scripts/checks/capabilities.json if no folder then imports upward.",
    severity: "error",
    from: { path: `^services/${service}/${folder}/`, pathNot: SPEC },
    to: { path: `^services/${service}/(${folders.slice(0, index + 1).join("|")})/` },
  })),
);

// Libraries that only compute: no I/O, no clock, no state. Hashing is computing, so node:crypto counts too.
const PURE = [
  "node_modules/(zod|temporal-polyfill|ipaddr\\.js|@noble/hashes|@scure/base)/",
  "^(node:)?crypto$",
];

module.exports = {
  forbidden: [
    {
      name: "services-meet-in-contracts",
      comment:
        "A service never imports another one: move what both need into contracts/ or services/platform/.",
      severity: "error",
      from: { path: `${SERVICES}([^/]+)/` },
      to: { path: `${SERVICES}[^/]+/`, pathNot: "^services/$1/" },
    },
    {
      name: "platform-knows-no-service",
      comment: "platform/ holds what two services need: pass what it needs from a service as an argument.",
      severity: "error",
      from: { path: "^services/platform/", pathNot: SPEC },
      to: { path: SERVICES },
    },
    {
      name: "domain-is-pure",
      comment:
        "Business rules import other rules, contracts/ and libraries that only compute. Move I/O to the caller.",
      severity: "error",
      from: { path: PURE_FOLDER, pathNot: SPEC },
      to: { pathNot: [PURE_FOLDER, "^contracts/", ...PURE] },
    },
    {
      name: "domain-stays-at-home",
      comment: "Even a pure rule belongs to one service: move what two need into contracts/.",
      severity: "error",
      from: { path: "^services/([^/]+)/(book|order|domain|[^/]+/domain)/" },
      to: { path: PURE_FOLDER, pathNot: "^services/$1/" },
    },
    ...capabilitiesPointDown,
    {
      name: "store-imports-no-step",
      comment: "store/ has SQL and no steps: pass what it needs as an argument, or move the step out of it.",
      severity: "error",
      from: { path: "^services/.+/store/", pathNot: [SPEC, "^services/platform/"] },
      to: { path: SERVICES, pathNot: [PURE_FOLDER, "/store/"] },
    },
    {
      name: "sql-lives-in-store",
      comment:
        "Only store/, platform/, modules and main.ts import the database driver: move the query into store/.",
      severity: "error",
      from: {
        path: "^(services|contracts)/",
        pathNot: [SPEC, "/store/", "^services/platform/", "\\.module\\.ts$", "/main\\.ts$"],
      },
      to: { path: DATABASE_DRIVER },
    },
    {
      name: "contracts-stand-alone",
      comment: "Everybody imports contracts/, so it imports nothing but zod.",
      severity: "error",
      from: {
        path: "^contracts/",
        pathNot: [SPEC, CALCULATING_CONTRACTS],
      },
      to: { pathNot: ["^contracts/", "node_modules/zod/", "^(node:)?crypto$"] },
    },
    {
      name: "contracts-two-exceptions",
      comment: "Besides zod, ids import the TypeID codec and the banking calendar imports time zones.",
      severity: "error",
      from: { path: CALCULATING_CONTRACTS, pathNot: SPEC },
      to: {
        pathNot: ["^contracts/", "node_modules/(zod|typeid-js|uuid|temporal-polyfill)/", "^(node:)?crypto$"],
      },
    },
    {
      name: "clients-speak-http",
      comment:
        "A client knows a service by its API alone: take the generated client, contracts/, or a package.",
      severity: "error",
      from: { path: "^clients/([^/]+)/", pathNot: "^clients/backend/" },
      to: { pathNot: ["^clients/$1/", "^clients/typescript/", "^contracts/", "node_modules/"] },
    },
    {
      name: "callers-copy-one-file",
      comment: "What callers copy has to work without this repository: take Node's own modules.",
      severity: "error",
      from: { path: "^clients/backend/" },
      to: { dependencyTypesNot: ["core"] },
    },
    {
      name: "services-know-no-client",
      comment: "Services run without any client: what a client needs is an operation of the API.",
      severity: "error",
      from: { path: "^(contracts|services|scripts|bench)/" },
      to: { path: "^clients/" },
    },
    {
      name: "no-cycles",
      comment: "Files of a cycle can only be read together: move what they share into a third file.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "code-does-not-import-tests",
      comment: "Production code does not import test/, scripts/, bench/ or specs.",
      severity: "error",
      from: { path: "^(services|contracts)/", pathNot: SPEC },
      to: { path: ["^(test|scripts|bench)/", SPEC] },
    },
    {
      name: "nothing-unresolved",
      comment: "An import that resolves to nothing would pass every rule above: mend the path.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules|^clients/typescript/" },
    exclude: { path: "^(dist|\\.local|node_modules/\\.)" },
    tsConfig: { fileName: "tsconfig.json" },
    // Imports of types alone couple as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
