import { Suspense, useEffect } from "react";
import { useCluster } from "./cluster/cluster-state.js";
import { counted } from "./counted.js";
import { FileDrop } from "./cluster/file-drop.js";
import { Loading, Notice } from "./notice.js";
import { type Page, pages } from "./pages.js";
import { Prose } from "./prose.js";
import { StateLine } from "./cluster/state-line.js";
import { ThemeButton } from "./theme-button.js";
import { hrefOf, useAddress } from "./use-address.js";
import { useProgress } from "./cluster/use-progress.js";
import { Withheld } from "./cluster/withheld.js";

/** The header of every page: links to all pages, and the state that is shown. */
export function Shell() {
  const { page: name } = useAddress();
  const page = pages.find((known) => known.name === name) ?? pages[0]!;
  useEffect(() => {
    page.prepare();
    document.title = `${page.title} · Tierwall`;
    // On a small screen the links scroll.
    document
      .querySelector("nav [aria-current=page]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [page]);
  return (
    <>
      <a className="skip" href="#content" onClick={skipToContent}>
        Skip to the page
      </a>
      <header className="header">
        <a className="brand" href={hrefOf("explain")}>
          <Mark />
          Tierwall
        </a>
        <nav aria-label="Pages">
          {pages.map(({ name, title }) => (
            <a key={name} href={hrefOf(name)} aria-current={name === page.name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <StateLine />
        <ThemeButton />
      </header>
      <main id="content" tabIndex={-1}>
        <Content page={page} />
      </main>
      <FileDrop />
    </>
  );
}

function Content({ page: { Content, title } }: { readonly page: Page }) {
  const { state } = useCluster();
  switch (state.status) {
    case "loading":
      return <Reading />;
    case "failed":
      return (
        <Notice title="The cluster could not be read" role="alert">
          <Prose text={state.message} />
        </Notice>
      );
    case "ready":
      // On every page: a verdict about a part of the policies would be wrong.
      if (!state.summary.usable) return <Withheld errors={state.summary.errors} />;
      return (
        <Suspense fallback={<Loading>Opening {title}…</Loading>}>
          <Content />
        </Suspense>
      );
  }
}

function Reading() {
  const objects = useProgress();
  return <Loading>Reading the cluster{objects > 0 && `: ${counted(objects, "object")} so far`}…</Loading>;
}

/** The address bar holds the question, so the link must not change it. */
function skipToContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function Mark() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path className="mark-wall" d="M2 4h7v6h6v6h7v5H2z" />
      <path className="mark-water" d="M2 4h7v6h6v6h7" />
    </svg>
  );
}
