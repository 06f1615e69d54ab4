import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { useHydrating } from "#app/components/ui/hydration.ts";
import { type RendererChoice, rendererChoice } from "./renderer.ts";

const OPTIONS = [
  { value: "automatic", label: "Automatic" },
  { value: "gpu", label: "Graphics card" },
  { value: "canvas", label: "2D canvas" },
] as const satisfies readonly { value: RendererChoice; label: string }[];

/** Chooses what draws maps in this browser. Hidden until the browser's choice is known. */
export function RendererSetting() {
  const choice = rendererChoice.use();
  const hydrating = useHydrating();
  return (
    <div className={hydrating ? "invisible" : undefined}>
      <Segmented label="Map renderer" options={OPTIONS} value={choice} onSelect={rendererChoice.set} />
      <p className="mt-2 text-sm text-muted">
        Automatic uses the graphics card if the computer has one. Choose 2D canvas if maps stay blank or
        flicker.
      </p>
    </div>
  );
}
