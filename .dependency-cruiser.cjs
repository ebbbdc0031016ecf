// Who may import whom. test/architecture.spec.ts plants a violation of every rule and asserts it is caught.

const SPEC = "\\.spec\\.ts$";
const SERVICES = "^services/(?!platform/)";
// What speaks to Postgres. Only these places may: the SQL in store/, the platform, modules and main.ts.
const DATABASE_DRIVER = "(^|node_modules/)(@mikro-orm/|pg(/|$)|knex(/|$)|kysely(/|$))";

// The pure model: a service's kernel (ledger/book, orders/order) and the domain/ of each capability.
const PURE_FOLDER = "^services/[^/]+/(book|order|domain|[^/]+/domain)/";

// Ids need the TypeID codec, and the banking calendar needs the rules of time zones.
const CALCULATING_CONTRACTS = "^contracts/(ids/[^/]+|rails/banking-calendar)\\.ts$";

// Libraries that only compute: no I/O, no clock, no state. Hashing is computing, so node:crypto counts too.
const PURE = ["node_modules/(zod|temporal-polyfill|ipaddr\\.js|@noble/hashes)/", "^(node:)?crypto$"];

module.exports = {
  forbidden: [
    {
      name: "services-meet-in-contracts",
      comment: "A service never imports another one; what they say to each other is in contracts/.",
      severity: "error",
      from: { path: `${SERVICES}([^/]+)/` },
      to: { path: `${SERVICES}[^/]+/`, pathNot: "^services/$1/" },
    },
    {
      name: "platform-knows-no-service",
      comment: "platform/ holds what two services need, and no service by name.",
      severity: "error",
      from: { path: "^services/platform/", pathNot: SPEC },
      to: { path: SERVICES },
    },
    {
      name: "domain-is-pure",
      comment:
        "Rules of the business import other rules, contracts/ and what only computes: no I/O, no framework.",
      severity: "error",
      from: { path: PURE_FOLDER, pathNot: SPEC },
      to: { pathNot: [PURE_FOLDER, "^contracts/", ...PURE] },
    },
    {
      name: "domain-stays-at-home",
      comment: "Even a pure rule belongs to one service.",
      severity: "error",
      from: { path: "^services/([^/]+)/(book|order|domain|[^/]+/domain)/" },
      to: { path: PURE_FOLDER, pathNot: "^services/$1/" },
    },
    {
      name: "sql-lives-in-store",
      comment: "Only store/, platform/, modules and main.ts see the database driver.",
      severity: "error",
      from: {
        path: "^(services|contracts)/",
        pathNot: [SPEC, "/store/", "^services/platform/", "\\.module\\.ts$", "/main\\.ts$"],
      },
      to: { path: DATABASE_DRIVER },
    },
    {
      name: "contracts-stand-alone",
      comment: "contracts/ is read by everybody, so it brings nothing along but zod.",
      severity: "error",
      from: {
        path: "^contracts/",
        pathNot: [SPEC, CALCULATING_CONTRACTS],
      },
      to: { pathNot: ["^contracts/", "node_modules/zod/", "^(node:)?crypto$"] },
    },
    {
      name: "contracts-two-exceptions",
      comment: "Ids also need the TypeID codec, and the banking calendar the time zones' rules.",
      severity: "error",
      from: { path: CALCULATING_CONTRACTS, pathNot: SPEC },
      to: {
        pathNot: ["^contracts/", "node_modules/(zod|typeid-js|uuid|temporal-polyfill)/", "^(node:)?crypto$"],
      },
    },
    {
      name: "no-cycles",
      comment: "A cycle can be neither understood nor replaced in parts.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "code-does-not-import-tests",
      comment: "What runs in production does not depend on test/, scripts/ or bench/.",
      severity: "error",
      from: { path: "^(services|contracts)/", pathNot: SPEC },
      to: { path: ["^(test|scripts|bench)/", SPEC] },
    },
    {
      name: "nothing-unresolved",
      comment: "An import that resolves to nothing would slip through every rule above.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules|^clients/" },
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
