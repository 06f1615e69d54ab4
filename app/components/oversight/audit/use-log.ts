import { useCallback, useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import {
  AUDIT_PAGE_SIZE,
  type AuditCursor,
  type AuditFilter,
  type AuditLogRow,
  NO_AUDIT_FILTER,
} from "#app/entities/oversight/audit-filter.ts";

/** The first page as the screen's action answered it to a form without scripts. */
export type ShownPage = Page & { filter: AuditFilter };

type Page = { rows: AuditLogRow[]; next: AuditCursor | null };

export type AuditLog = {
  /** Undefined until the first page is there. */
  rows: AuditLogRow[] | undefined;
  problem: string;
  loading: boolean;
  filter: AuditFilter;
  page: number;
  hasNext: boolean;
  search(filter: AuditFilter): void;
  previous(): void;
  next(): void;
  again(): void;
};

/** Pages of the audit log under a filter. Each page begins behind the one before it, so that none is ever slow. */
export function useAuditLog(shown?: ShownPage): AuditLog {
  const [filter, setFilter] = useState(shown?.filter ?? NO_AUDIT_FILTER);
  /** Where each page up to this one begins. */
  const [starts, setStarts] = useState<(AuditCursor | null)[]>([null]);
  const [page, setPage] = useState<Page | undefined>(shown);
  const [problem, setProblem] = useState("");
  const [loading, setLoading] = useState(shown === undefined);
  const isShown = useRef(shown !== undefined);
  const asked = useRef(0);

  const load = useCallback(async (wanted: AuditFilter, after: AuditCursor | null) => {
    const turn = ++asked.current;
    setLoading(true);
    const answer = await callApi<Page>("/audit-log/rows", {
      json: { filter: wanted, after },
      failed: "The audit log could not be loaded.",
    });
    if (turn !== asked.current) return;
    if (answer.ok) setPage(answer.value);
    setProblem(answer.ok ? "" : answer.message);
    setLoading(false);
  }, []);
  useEffect(() => {
    if (!isShown.current) void load(NO_AUDIT_FILTER, null);
  }, [load]);

  const goTo = (wanted: AuditFilter, path: (AuditCursor | null)[]) => {
    setFilter(wanted);
    setStarts(path);
    void load(wanted, path.at(-1) ?? null);
  };
  return {
    rows: page?.rows,
    problem,
    loading,
    filter,
    page: starts.length,
    hasNext: page?.rows.length === AUDIT_PAGE_SIZE && page.next !== null,
    search: (wanted) => goTo(wanted, [null]),
    previous: () => goTo(filter, starts.slice(0, -1)),
    next: () => goTo(filter, [...starts, page?.next ?? null]),
    again: () => goTo(filter, starts),
  };
}
