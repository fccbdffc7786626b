import type { ReactNode } from "react";

/** Shown where there is nothing else to show: empty, loading, failed, too much. */
export function Notice({
  title,
  role = "status",
  children,
}: {
  readonly title: string;
  readonly role?: "status" | "alert";
  readonly children?: ReactNode;
}) {
  return (
    <div className="notice" role={role}>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** Shown only if it takes a while: what is there at once needs no announcement. */
export function Loading({ children }: { readonly children: ReactNode }) {
  return (
    <div className="notice loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>{children}</p>
    </div>
  );
}
