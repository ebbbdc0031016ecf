/** The values of a statement, numbered as they are added. */
export class Params {
  readonly values: unknown[] = [];

  /** The value's placeholder with its type, such as `$3::uuid`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }

  /**
   * A condition that is true for rows with one of these values. Use it on rows that another condition finds, and not to
   * walk an index that begins with the column: several values are several ranges of it, and Postgres would read all of
   * their rows before it sorts them.
   */
  isOneOf(column: string, values: readonly unknown[], type: string): string {
    return `${column} = any (${this.add(values, `${type}[]`)})`;
  }
}
