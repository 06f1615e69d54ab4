import { PURPOSES } from "#app/entities/search/purpose.ts";

/** The options of a purpose select. */
export function PurposeOptions({ required }: { required: boolean }) {
  return (
    <>
      <option value="">{required ? "Choose one" : "Not stated"}</option>
      {PURPOSES.map(({ code, label }) => (
        <option key={code} value={code}>
          {label}
        </option>
      ))}
    </>
  );
}
