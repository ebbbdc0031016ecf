import { useState } from "react";
import { problemOf } from "../../api/client/problem.ts";
import { useChangePassword } from "../../api/people/sessions.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { TextField } from "../../parts/form/field.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { passwordTexts as words } from "../../texts/people.ts";

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
