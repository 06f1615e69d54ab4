const KEY = "odin.handed-plate";

/**
 * Opens the search form in a new tab with this plate filled in. Passes the plate through session storage, which a new tab
 * copies: a URL would end up in browser histories and logs.
 */
export function openSearchFor(plate: string): void {
  handPlate(plate);
  window.open("/search", "_blank");
  sessionStorage.removeItem(KEY);
}

/** Fills this plate into the search form that this tab opens next. */
export function handPlate(plate: string): void {
  sessionStorage.setItem(KEY, plate);
}

/** Returns the plate that this tab was opened with, only once; null if there is none. */
export function takeHandedPlate(): string | null {
  const plate = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return plate;
}
