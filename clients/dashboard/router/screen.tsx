/** Loads a screen when it is opened, or when its link is hovered. */
import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { unreachable } from "../api/client/problem.ts";
import { Failure, Loading } from "../parts/page/failure.tsx";
import { PageTitle } from "../parts/page/page-title.tsx";
import { failureTexts, shellTexts } from "../texts/shell.ts";

/** How often a screen that could not be loaded is loaded again. */
const retryMs = 3_000;

/** The screen, or why it could not be loaded: no answer, or none with its file, which an update has replaced. */
type Loads = () => Promise<ComponentType | "unreachable" | "outdated">;

/**
 * The router's own `lazyRouteComponent` loads the whole page again where a screen's file does not arrive. While the
 * gateway is away the reader would then lose all that was read.
 */
export function screen<Name extends string>(
  importer: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): (() => ReactNode) & { preload: () => Promise<void> } {
  let loaded: ComponentType | undefined;
  const load: Loads = async () => {
    try {
      return (loaded ??= (await importer())[name]);
    } catch {
      const page = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
      return page?.ok === true ? "outdated" : "unreachable";
    }
  };
  const Screen = () => <LoadedScreen load={load} loaded={loaded} />;
  return Object.assign(Screen, { preload: async () => void (await load()) });
}

/** One component before and after the file arrives: a second one in its place would begin with nothing typed. */
function LoadedScreen({ load, loaded }: { load: Loads; loaded: ComponentType | undefined }) {
  const [tries, setTries] = useState(0);
  const [Loaded, setLoaded] = useState(() => loaded);
  const [failure, setFailure] = useState<"unreachable" | "outdated">();
  const tryAgain = () => setTries((before) => before + 1);
  useEffect(() => {
    if (Loaded !== undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    void load().then((found) => {
      if (!isShown) return;
      if (typeof found !== "string") return setLoaded(() => found);
      // Chrome does not fetch a module again that has failed once: only a new page can open the screen.
      if (failure === "unreachable" && found === "outdated") return location.reload();
      setFailure(found);
      if (found === "unreachable") timer = setTimeout(tryAgain, retryMs);
    });
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [load, Loaded, tries, failure]);
  if (Loaded !== undefined) return <Loaded />;
  return (
    <>
      <PageTitle text={shellTexts.product} />
      {failure === undefined && <Loading />}
      {failure === "unreachable" && <Failure error={unreachable()} retry={tryAgain} />}
      {failure === "outdated" && <Outdated />}
    </>
  );
}

function Outdated() {
  const { title, detail, reload } = failureTexts.outdated;
  return (
    <section className="failure" role="alert">
      <h2>{title}</h2>
      <p>{detail}</p>
      <button type="button" onClick={() => location.reload()}>
        {reload}
      </button>
    </section>
  );
}
