/** Shows whether a read is selected. A press is handled by the row or tile, and keys by the grid. */
export function RowCheckbox({ plate, time, selected }: { plate: string; time: string; selected: boolean }) {
  return (
    <input
      type="checkbox"
      className="check"
      tabIndex={-1}
      checked={selected}
      readOnly
      aria-label={`Select ${plate || "read without a plate"}, ${time}`}
    />
  );
}
