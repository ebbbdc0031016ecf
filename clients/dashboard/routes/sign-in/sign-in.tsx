import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import type { Me } from "../../../typescript/types.gen.ts";
import { callAuth } from "../../api/client/call.ts";
import { mode } from "../../book.ts";
import liveIcon from "../../icons/live.svg";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { pageAfterSignIn } from "../../shell/person/sign-in-path.ts";
import { TestBar } from "../../shell/status/test-bar.tsx";
import { shellTexts, signInTexts as words } from "../../texts/shell.ts";

interface Options {
  readonly local: boolean;
  readonly oidc: readonly { readonly tenant: string; readonly name: string }[];
  readonly demoPeople: readonly {
    readonly principal: string;
    readonly name: string;
    readonly roles: Readonly<Record<"Test" | "Live", readonly string[]>>;
  }[];
}

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { tenant } = route.useSearch();
  useEffect(() => {
    document.title = words.title;
  }, []);
  const options = useQuery({
    queryKey: ["auth", "options", tenant],
    queryFn: () =>
      callAuth<Options>(
        "GET",
        tenant === undefined ? "/options" : `/options?tenant=${encodeURIComponent(tenant)}`,
      ),
  });
  return (
    <div className={mode === "Test" ? "in-test sign-in" : "sign-in"}>
      <TestBar />
      <main className="card">
        <div className="brand">
          <img src={liveIcon} alt="" />
          {shellTexts.product}
        </div>
        <h1>{words.title}</h1>
        {options.data !== undefined && <Ways options={options.data} />}
        {options.isError && <Failure error={options.error} retry={options.refetch} />}
        {options.isPending && <Loading lines={3} />}
      </main>
    </div>
  );
}

/** The ways to sign in that this deployment offers. After the sign-in the page loads again, so it keeps nothing. */
function Ways({ options }: { options: Options }) {
  const { next, tenant: named, failed } = route.useSearch();
  const signIn = useMutation({
    mutationFn: ({ path, body }: { path: string; body: unknown }) => callAuth<Me>("POST", path, { body }),
    onSuccess: ({ person }) => location.assign(pageAfterSignIn(next, person?.roles)),
  });
  const leave = useMutation({
    mutationFn: (tenant: string) =>
      callAuth<{ readonly location: string }>("POST", `/oidc/${encodeURIComponent(tenant)}`, {
        body: { next: pageAfterSignIn(next) },
      }),
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const { local, oidc, demoPeople } = options;
  const error = signIn.error ?? leave.error;
  return (
    <>
      {error !== null && <FailureNote error={error} />}
      {failed !== undefined && error === null && (
        <p className="notice bad" role="alert">
          {words.openIdFailed}
        </p>
      )}
      {demoPeople.length > 0 && (
        <DemoPeople
          people={demoPeople}
          isAsking={signIn.isPending}
          choose={(principal) => signIn.mutate({ path: "/demo-sign-in", body: { principal } })}
        />
      )}
      {oidc.map(({ tenant, name }) => (
        <button type="button" key={tenant} disabled={leave.isPending} onClick={() => leave.mutate(tenant)}>
          {words.with(visible(name))}
        </button>
      ))}
      {local && (
        <Password
          isAsking={signIn.isPending}
          send={(body) => signIn.mutate({ path: "/sign-in", body: { ...body, tenant: named } })}
        />
      )}
      {!local && oidc.length === 0 && demoPeople.length === 0 && <p>{words.unavailable}</p>}
    </>
  );
}

interface DemoPeopleProps {
  readonly people: Options["demoPeople"];
  readonly isAsking: boolean;
  readonly choose: (principal: string) => void;
}

function DemoPeople({ people, isAsking, choose }: DemoPeopleProps) {
  return (
    <section className="demo-people">
      <h2>{words.demoTitle}</h2>
      {people.map(({ principal, name, roles }) => (
        <button type="button" key={principal} disabled={isAsking} onClick={() => choose(principal)}>
          <span>
            {visible(name)}
            <small>
              {principal} · {roles[mode].join(", ") || words.noRole}
            </small>
          </span>
        </button>
      ))}
      <p className="dim">{words.demoNote}</p>
    </section>
  );
}

interface PasswordProps {
  readonly isAsking: boolean;
  readonly send: (body: { email: string; password: string }) => void;
}

function Password({ isAsking, send }: PasswordProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send({ email, password });
  };
  return (
    <form onSubmit={submit}>
      <label className="field">
        {words.email}
        <input
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </label>
      <label className="field">
        {words.password}
        <input
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </label>
      <button type="submit" className="primary big" disabled={isAsking}>
        {isAsking ? words.asking : words.submit}
      </button>
    </form>
  );
}
