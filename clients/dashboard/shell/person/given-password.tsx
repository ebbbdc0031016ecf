import { useState } from "react";
import { useMe } from "../../api/people/me.ts";
import { givenPasswordTexts as words } from "../../texts/people.ts";
import { Password } from "./password.tsx";

/** Says on every screen that the person can only read until they change the password that somebody else set. */
export function GivenPasswordNote() {
  const me = useMe();
  if (me.data?.person?.hasGivenPassword !== true) return null;
  return (
    <div className="notice warn">
      <div>
        <b>{words.title}</b>
        <small>{words.detail}</small>
        <ChangePassword />
      </div>
    </div>
  );
}

/** A button that opens the change of one's own password. */
export function ChangePassword() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.change}
      </button>
      {isOpen && <Password close={() => setOpen(false)} />}
    </>
  );
}
