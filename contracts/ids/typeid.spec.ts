import fc from "fast-check";
import { TypeID } from "typeid-js";
import { v5 } from "uuid";
import { describe, expect, it } from "vitest";
import { bookIdOf, derivedUuid, idOf, isId, uuidOf } from "./ids.ts";

describe("ids", () => {
  it("are TypeIDs, as typeid-js makes them", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const id = idOf("po", uuid);
        expect(id).toBe(TypeID.fromUUID("po", uuid).toString());
        expect(uuidOf(id)).toBe(uuid);
        expect(isId("po", id)).toBe(true);
      }),
    );
  });

  it("keep the corners of the range", () => {
    expect(idOf("le", "00000000-0000-0000-0000-000000000000")).toBe("le_00000000000000000000000000");
    expect(idOf("le", "ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe("le_7zzzzzzzzzzzzzzzzzzzzzzzzz");
  });

  it.each([
    ["another prefix", "la_01h455vb4pex5vsknk084sn02q"],
    ["no prefix", "01h455vb4pex5vsknk084sn02q"],
    ["a letter that base32 leaves out", "po_01h455vb4pex5vsknk084sn02u"],
    ["a capital", "po_01H455vb4pex5vsknk084sn02q"],
    ["more than 128 bits", "po_81h455vb4pex5vsknk084sn02q"],
    ["too short", "po_01h455vb4pex5vsknk084sn02"],
    ["too long", "po_01h455vb4pex5vsknk084sn02qq"],
    ["nothing", ""],
  ])("refuse %s", (_what, text) => {
    expect(isId("po", text)).toBe(false);
  });

  it("refuse to store what is no id", () => {
    expect(() => uuidOf("po_nonsense")).toThrow("not a TypeID");
    expect(() => idOf("po", "nonsense")).toThrow("not a uuid");
  });
});

describe("derived ids", () => {
  it("are UUIDv5 of a subject and a step", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (subject, step) => {
        expect(derivedUuid(subject, step)).toBe(
          v5(`${subject}/${step}`, "5b1fa2ab-6bbd-5f0a-9a6b-0d6a3b1f6a11"),
        );
      }),
    );
  });

  it("name a tenant's two books apart", () => {
    const tenant = "ten_01h455vb4pex5vsknk084sn02q";
    expect(bookIdOf(tenant, "Test")).toBe(
      idOf("book", v5(`${tenant}/Test`, "5b1fa2ab-6bbd-5f0a-9a6b-0d6a3b1f6a11")),
    );
    expect(bookIdOf(tenant, "Test")).not.toBe(bookIdOf(tenant, "Live"));
  });
});
