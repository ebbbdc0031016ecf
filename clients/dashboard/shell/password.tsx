import { useState } from "react";
import { problemOf } from "../api/problem.ts";
import { useChangePassword } from "../api/sessions.ts";
import { FailureNote } from "../parts/failure.tsx";
import { TextField } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { texts } from "../texts/texts.ts";

const { password: words } = texts;
const minLength = 12;

/** Sets the person's own password. */
export function Password({ close }: { close: () => void }) {
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNext] = useState("");
  const change = useChangePassword();
  const isWrong = change.isError && problemOf(change.error).code === "sign_in_failed";
  return (
    <Sheet title={words.title} close={close}>
      <p className="dim">{words.why}</p>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ currentPassword, newPassword });
        }}
      >
        <TextField
          label={words.current}
          fault={isWrong ? words.wrong : undefined}
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          change={setCurrent}
        />
        <TextField
          label={words.next}
          hint={words.nextHint}
          type="password"
          autoComplete="new-password"
          required
          minLength={minLength}
          maxLength={200}
          value={newPassword}
          change={setNext}
        />
        <output>{change.isSuccess && <p className="banner ok">{words.done}</p>}</output>
        {change.isError && !isWrong && <FailureNote error={change.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={change.isPending}>
            {change.isPending ? words.asking : words.submit}
          </button>
          <button type="button" onClick={close}>
            {words.close}
          </button>
        </div>
      </form>
    </Sheet>
  );
}
