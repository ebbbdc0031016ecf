/** The values of a statement, numbered as they are added. */
export class Params {
  readonly values: unknown[] = [];

  /** The value's placeholder with its type, such as `$3::uuid`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }

  /**
   * True for rows with one of these values. It is for rows that something else has found: an index that begins with
   * the column has several ranges then, whose rows Postgres would read all before it sorts them.
   */
  isOneOf(column: string, values: readonly unknown[], type: string): string {
    return `${column} = any (${this.add(values, `${type}[]`)})`;
  }
}
