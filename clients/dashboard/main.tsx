/** The dashboard: a client of the API for people. It has no right, no number and no rule of its own. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/client/query-client.ts";
import { mode } from "./book.ts";
import testIcon from "./icons/test.svg";
import { router } from "./router.tsx";
import "./styles/all.css";

const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
if (mode === "Test" && icon !== null) icon.href = testIcon;

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    {/* The page's policy forbids the style elements that Base UI would add. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
