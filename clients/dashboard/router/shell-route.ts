import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { NotFoundPage } from "../parts/page/failure.tsx";
import { Shell } from "../shell/shell.tsx";

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

/** Everything that a signed-in person sees stands in the shell. */
export const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });
