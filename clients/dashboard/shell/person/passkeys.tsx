import { Dialog } from "@base-ui/react/dialog";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../api/client/problem.ts";
import { addPasskey, type Passkey, removePasskey, usePasskeys } from "../../api/client/step-up.ts";
import { FailureNote, Loading } from "../../parts/page/failure.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { passkeyTexts as words } from "../../texts/passkeys.ts";
import { ChangePassword } from "./given-password.tsx";

/** The person's own passkeys: each decision needs one. */
export function Passkeys({ close }: { close: () => void }) {
  const passkeys = usePasskeys();
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>{words.title}</Dialog.Title>
          <p className="dim">{words.why}</p>
          {passkeys.isPending && <Loading lines={2} />}
          {passkeys.isError && <FailureNote error={passkeys.error} />}
          {passkeys.data !== undefined && <List passkeys={passkeys.data} />}
          <AddPasskey />
          <Dialog.Close>{words.close}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function List({ passkeys }: { passkeys: readonly Passkey[] }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: removePasskey,
    onSettled: () => client.invalidateQueries({ queryKey: ["passkeys"] }),
  });
  if (passkeys.length === 0) return <p>{words.none}</p>;
  return (
    <>
      <ul className="passkeys">
        {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
          <li key={id}>
            <KeyRound aria-hidden />
            <span>
              <b>{visible(name)}</b>
              <small>
                {words.added} <Moment at={createdAt} as="day" />
                {lastUsedAt !== null && (
                  <>
                    {" "}
                    · {words.used} <Moment at={lastUsedAt} />
                  </>
                )}
              </small>
            </span>
            <button
              type="button"
              className="quiet bad"
              disabled={remove.isPending}
              aria-label={words.removeNamed(visible(name))}
              onClick={() => remove.mutate(id)}
            >
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
      {remove.isError && <FailureNote error={remove.error} />}
    </>
  );
}

/** Makes a passkey on this device. `added` is called once it is there. */
export function AddPasskey({ added }: { added?: () => void }) {
  const [name, setName] = useState<string>(words.thisDevice);
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => added?.(),
    onSettled: () => client.invalidateQueries({ queryKey: ["passkeys"] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(name.trim());
  };
  const needsPassword = add.isError && problemOf(add.error).code === "own_password_required";
  return (
    <>
      <form className="add-passkey" onSubmit={submit}>
        <label className="field">
          {words.name}
          <input required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="primary" disabled={add.isPending}>
          {add.isPending ? words.asking : words.add}
        </button>
        {add.isError && !needsPassword && <FailureNote error={add.error} />}
      </form>
      {needsPassword && (
        <>
          <p role="alert">{words.needsPassword}</p>
          <ChangePassword />
        </>
      )}
    </>
  );
}
