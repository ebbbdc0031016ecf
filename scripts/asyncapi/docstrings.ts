import { join } from "node:path";
import ts from "typescript";
import type { JsonSchema } from "./schemas.ts";

/** Finds the docstrings of contracts, which are the descriptions of messages and of their fields. */
export class Docstrings {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  /** Compiles these files. That takes a few seconds. */
  constructor(files: readonly string[]) {
    const config = join(import.meta.dirname, "../../tsconfig.json");
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(config, (path) => ts.sys.readFile(path)).config,
      ts.sys,
      join(config, ".."),
    );
    this.#program = ts.createProgram([...files], { ...options, noEmit: true });
    this.#checker = this.#program.getTypeChecker();
  }

  /** The docstring of an exported constant. */
  of(file: string, name: string): string | undefined {
    return this.#docstring(this.#exportOf(file, name));
  }

  /**
   * Returns the schema with the docstrings of its fields where they have no description. `member` is where an exported
   * message has the zod schema that it was made of; without one the export itself is the zod schema.
   */
  describe(schema: JsonSchema, file: string, name: string, member?: "data" | "reply"): JsonSchema {
    const exported = this.#checker.getTypeOfSymbol(this.#exportOf(file, name));
    const type = member === undefined ? exported : this.#memberOf(exported, member);
    return type === undefined ? schema : this.#withFields(schema, type);
  }

  #withFields(schema: JsonSchema, type: ts.Type): JsonSchema {
    const [inner] = this.#argumentsOf(type);
    const { properties, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
    const shape = this.#memberOf(type, "shape");
    if (properties !== undefined && shape !== undefined) {
      const fields = Object.entries(properties).map(([name, field]) => {
        const symbol = shape.getProperty(name);
        return [name, symbol === undefined ? field : this.#field(field, symbol)] as const;
      });
      return { ...schema, properties: Object.fromEntries(fields) };
    }
    if (items !== undefined && inner !== undefined && type.symbol.name === "ZodArray") {
      return { ...schema, items: this.#withFields(items, inner) };
    }
    const choice = ["anyOf", "oneOf"].find((each) => each in schema);
    if (choice !== undefined && inner !== undefined && this.#checker.isTupleType(inner)) {
      const options = this.#checker.getTypeArguments(inner as ts.TypeReference);
      const choices = (schema[choice] as JsonSchema[]).map((one, index) => {
        const option = options[index];
        return option === undefined ? one : this.#withFields(one, option);
      });
      return { ...schema, [choice]: choices };
    }
    return wrappers.has(type.symbol?.name) && inner !== undefined ? this.#withFields(schema, inner) : schema;
  }

  #field(field: JsonSchema, symbol: ts.Symbol): JsonSchema {
    const described = this.#withFields(field, this.#checker.getTypeOfSymbol(symbol));
    const description = this.#docstring(symbol);
    if (description === undefined || "description" in described) return described;
    // What a reference of JSON Schema draft 7 has beside it is ignored.
    return "$ref" in described ? { description, allOf: [described] } : { description, ...described };
  }

  #exportOf(file: string, name: string): ts.Symbol {
    const source = this.#program.getSourceFile(file);
    const symbol = source && this.#checker.getSymbolAtLocation(source);
    const found = symbol && this.#checker.tryGetMemberInModuleExports(name, symbol);
    if (found === undefined) throw new Error(`${file} exports no ${name}`);
    return found;
  }

  #memberOf(type: ts.Type, name: string): ts.Type | undefined {
    const symbol = type.getProperty(name);
    return symbol && this.#checker.getTypeOfSymbol(symbol);
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.#checker.getTypeArguments(type) : [];
  }

  #docstring(symbol: ts.Symbol): string | undefined {
    const lines = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return lines === "" ? undefined : lines.replaceAll(/(?<!\n)\n(?!\n)/g, " ");
  }
}

/** The zod types around a type that JSON Schema does not show, or shows as a member of the same schema. */
const wrappers = new Set<string | undefined>(["ZodOptional", "ZodDefault", "ZodNullable"]);

function isReference(type: ts.Type): type is ts.TypeReference {
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0
  );
}
