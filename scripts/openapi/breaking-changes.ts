/**
 * Finds breaking changes of the API. A version may get additions. A change that removes, renames, retypes, requires or
 * tightens something needs a new version. Pure.
 */
import { inlineReferences } from "./inline-references.ts";
import { type CompareSchemas, type Schema, schemaComparison } from "./compare-schemas.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
interface Body {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export interface Document {
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Every change from `released` to `current` that breaks a caller or a receiver, each with its location. */
export function breakingChanges(released: Document, current: Document): string[] {
  const before = inlineReferences(released);
  const after = inlineReferences(current);
  const compare = schemaComparison(resolverOf(before), resolverOf(after));
  const changes = [
    ...comparePaths(before.paths, after.paths, (old, now, at) => compareOperation(old, now, at, compare)),
    ...comparePaths(before.webhooks ?? {}, after.webhooks ?? {}, (old, now, at) =>
      compareEvent(old, now, at, compare),
    ),
  ];
  return [...new Set(changes)];
}

function resolverOf(document: Document): (schema: Schema) => Schema {
  return ({ $ref, ...beside }) => {
    const name = ($ref as string | undefined)?.split("/").at(-1);
    return name === undefined ? beside : { ...document.components?.schemas?.[name], ...beside };
  };
}

function comparePaths(
  before: Paths,
  after: Paths,
  compare: (old: Operation, now: Operation, at: string) => string[],
): string[] {
  return Object.entries(before).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const now = after[path]?.[method];
      return now === undefined ? [`${at}: it is gone`] : compare(old, now, at);
    }),
  );
}

function compareOperation(old: Operation, now: Operation, at: string, compare: CompareSchemas): string[] {
  return [
    // Generated clients call it by this name.
    ...(old.operationId === now.operationId
      ? []
      : [`${at}: its operationId was ${String(old.operationId)} and is ${String(now.operationId)}`]),
    ...compareSecurity(old, now, at),
    ...compareParameters(old, now, at, compare),
    ...compareBody(old.requestBody, now.requestBody, at, compare),
    ...compareAnswers(old, now, at, compare),
  ];
}

/** A key with the old scope must still be allowed. */
function compareSecurity(old: Operation, now: Operation, at: string): string[] {
  const needs = ({ security = [] }: Operation) => JSON.stringify(security);
  if (now.security === undefined || now.security.length === 0 || needs(old) === needs(now)) return [];
  return [`${at}: it needed ${needs(old)} and needs ${needs(now)}`];
}

function compareParameters(old: Operation, now: Operation, at: string, compare: CompareSchemas): string[] {
  const parameterKey = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;
  const before = new Map((old.parameters ?? []).map((parameter) => [parameterKey(parameter), parameter]));
  const after = new Map((now.parameters ?? []).map((parameter) => [parameterKey(parameter), parameter]));
  const gone = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...gone.map((name) => `${at} ${name}: it is gone`),
    ...[...after].flatMap(([name, parameter]) => {
      const was = before.get(name);
      const isStricter = parameter.required === true && was?.required !== true;
      return [
        ...(isStricter ? [`${at} ${name}: it is required now`] : []),
        ...(was === undefined
          ? []
          : compare({ before: was.schema, after: parameter.schema }, "request", `${at} ${name}`)),
      ];
    }),
  ];
}

function compareBody(
  old: Body | undefined,
  now: Body | undefined,
  at: string,
  compare: CompareSchemas,
): string[] {
  if (now === undefined) return old === undefined ? [] : [`${at} body: it is gone`];
  const isStricter = now.required === true && old?.required !== true;
  const required = isStricter ? [`${at} body: it is required now`] : [];
  if (old === undefined) return required;
  return [...required, ...compareContent(old.content, now.content, "request", `${at} body`, compare)];
}

/** Compares successful answers only: refusals may be added and removed. */
function compareAnswers(old: Operation, now: Operation, at: string, compare: CompareSchemas): string[] {
  const good = Object.entries(old.responses).filter(([status]) => status.startsWith("2"));
  return good.flatMap(([status, was]) => {
    const is = now.responses[status];
    const answerKey = `${at} ${status}`;
    if (is === undefined) return [`${answerKey}: it is gone`];
    const headers = Object.keys(was.headers ?? {}).filter((name) => !(name in (is.headers ?? {})));
    return [
      ...headers.map((name) => `${answerKey} ${name}: it is gone`),
      ...compareContent(was.content ?? {}, is.content ?? {}, "answer", answerKey, compare),
    ];
  });
}

function compareContent(
  old: Body["content"],
  now: Body["content"],
  side: "request" | "answer",
  at: string,
  compare: CompareSchemas,
): string[] {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    const is = now[type];
    return is === undefined
      ? [`${at}: ${type} is gone`]
      : compare({ before: schema, after: is.schema }, side, at);
  });
}

/** A receiver reads an event, so its body and headers are compared as answers. */
function compareEvent(old: Operation, now: Operation, at: string, compare: CompareSchemas): string[] {
  const headers = new Set((now.parameters ?? []).map(({ name }) => name));
  const gone = (old.parameters ?? []).filter(({ name }) => !headers.has(name));
  const [was, is] = [old.requestBody?.content ?? {}, now.requestBody?.content ?? {}];
  return [
    ...gone.map(({ name }) => `${at} ${name}: it is gone`),
    ...compareContent(was, is, "answer", at, compare),
  ];
}
