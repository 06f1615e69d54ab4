import { JURISDICTION_GROUPS } from "#app/entities/search/jurisdiction-names.ts";

/** The states, territories and provinces of a select, by group. */
export const JURISDICTION_OPTIONS = JURISDICTION_GROUPS.map(({ label, jurisdictions }) => (
  <optgroup key={label} label={label}>
    {jurisdictions.map(({ code, name }) => (
      <option key={code} value={code}>
        {name}
      </option>
    ))}
  </optgroup>
));
