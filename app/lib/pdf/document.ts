/**
 * A tagged PDF, written page by page: text in embedded fonts, images passed through, a structure tree with a
 * description of every figure. A tag marks content with its role (heading, paragraph, figure) for screen readers.
 * Memory holds only the current page.
 */

import { at } from "#app/lib/at.ts";
import { hex } from "#app/lib/crypto/encoding.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { createPdfFont, type PdfFont } from "./font.ts";
import { pdfImage } from "./image.ts";
import { createPdfObjects, type PdfObjects, pdfNumber, pdfText } from "./objects.ts";
import type { TrueTypeFont } from "./ttf.ts";

/** US Letter, in points. */
export const PAGE = { width: 612, height: 792 } as const;

type PdfRole = "H1" | "H2" | "P" | "Figure" | "Caption" | "TH" | "TD";
export type PdfSection = { number: number; kids: number[]; role: string; parent: number };
/** An image or a shared drawing, which pages draw by name. `orientation` is the EXIF value by which it is turned. */
export type PdfDrawable = { number: number; width: number; height: number; orientation?: number };
/** An image fills the unit square, whatever its pixels; `aspect` is width divided by height as it is drawn. */
export type PdfPicture = PdfDrawable & { aspect: number };

/** The EXIF orientations of an image that is upright, and of the first of those that are turned by a quarter. */
const [UPRIGHT, FIRST_SIDEWAYS] = [1, 5];
/**
 * By EXIF orientation, from 1: the matrix (a, b, c, d, e, f of a PDF) that turns a stored image within the unit square
 * (JEITA CP-3451, 4.6.4).
 */
const TURNS = [
  [1, 0, 0, 1, 0, 0],
  [-1, 0, 0, 1, 1, 0],
  [-1, 0, 0, -1, 1, 1],
  [1, 0, 0, -1, 0, 1],
  [0, -1, -1, 0, 1, 1],
  [0, -1, 1, 0, 0, 1],
  [0, 1, 1, 0, 0, 0],
  [0, 1, -1, 0, 1, 0],
] as const;

export type PdfPage = {
  /** Adds content that is read aloud, as an element of a section. For a figure, `words` is its description. */
  tag: (section: PdfSection, role: PdfRole, operators: string, words?: string) => void;
  /** Adds decoration that is not read aloud: lines, headers, page numbers. */
  artifact: (operators: string) => void;
  /** Returns the operators that draw it into a box whose lower left corner is at (x, y). */
  draw: (what: PdfDrawable, box: { x: number; y: number; width: number; height: number }) => string;
  end: () => void;
};

export type Pdf = {
  font: (name: string, font: TrueTypeFont, family: string) => PdfFont;
  /** Embeds a JPEG or PNG. Throws PdfImageProblem if it cannot be embedded unchanged. */
  image: (bytes: Uint8Array, type: string) => PdfPicture;
  /** Creates a drawing that several pages share. Without operators, `redraw` must set them before the end. */
  drawing: (size: { width: number; height: number }, operators?: string) => PdfDrawable;
  /** Sets the operators of a drawing that were not known at first. */
  redraw: (drawing: PdfDrawable, operators: string) => void;
  /** Begins a part of the document, in reading order; `first` puts it before all others. */
  section: (place?: "first" | "last") => PdfSection;
  /** Begins a table within a section, or a row within a table; `endSection` ends it. */
  group: (parent: PdfSection, role: "Table" | "TR") => PdfSection;
  endSection: (section: PdfSection) => void;
  /** Reserves object numbers for pages before all others. */
  reservePages: (count: number) => number[];
  page: (reserved?: number) => PdfPage;
  pageCount: () => number;
  /** Ends the file. Returns the offset of its cross-reference table. */
  finish: () => number;
};

type PdfFacts = { title: string; language: string; producer: string; createdAt: number; id: Uint8Array };

/**
 * Returns the XMP packet of a PDF (ISO 16684-1; ISO 32000-1, 14.3.2): the facts of its information dictionary. It
 * does not claim conformance to PDF/A or PDF/UA, because no checker has confirmed it.
 */
function xmpPacket(input: PdfFacts): string {
  const created = isoTime(input.createdAt);
  const uuid = hex(input.id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(input.title)}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${escaped(input.language)}</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>${created}</xmp:CreateDate>
<xmp:ModifyDate>${created}</xmp:ModifyDate>
<xmp:MetadataDate>${created}</xmp:MetadataDate>
<pdf:Producer>${escaped(input.producer)}</pdf:Producer>
<xmpMM:DocumentID>uuid:${uuid}</xmpMM:DocumentID>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns the text of an XML element; characters that XML 1.0 forbids become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}

/** Begins a tagged PDF and writes it as it grows. `createdAt` is in epoch milliseconds, sizes are in points. */
export function createPdf(input: PdfFacts & { write: (bytes: Uint8Array) => void }): Pdf {
  const objects = createPdfObjects(input.write);
  const reserve = objects.reserve;
  const [catalog, info, pageTree, structure] = [reserve(), reserve(), reserve(), reserve()];
  const [documentElement, parentTree, fontList, metadata] = [reserve(), reserve(), reserve(), reserve()];
  const pages: number[] = [];
  const sections: number[] = [];
  const pageMarks: number[] = [];
  const fonts: PdfFont[] = [];

  function form(number: number, size: { width: number; height: number }, operators: string): void {
    const entries = `/Type/XObject/Subtype/Form/BBox[0 0 ${pdfNumber(size.width)} ${pdfNumber(size.height)}]/Resources<</Font ${fontList} 0 R>>`;
    objects.packed(number, entries, operators);
  }

  return {
    font(name, font, family) {
      const made = createPdfFont(objects, { name, font, family });
      fonts.push(made);
      return made;
    },
    image: (bytes, type) => embedImage(objects, bytes, type),
    drawing(size, operators) {
      const number = objects.reserve();
      if (operators !== undefined) form(number, size, operators);
      return { number, ...size };
    },
    redraw: (drawing, operators) => form(drawing.number, drawing, operators),
    section(place = "last") {
      const number = objects.reserve();
      if (place === "first") sections.unshift(number);
      else sections.push(number);
      return { number, kids: [], role: "Sect", parent: documentElement };
    },
    group(parent, role) {
      const number = objects.reserve();
      parent.kids.push(number);
      return { number, kids: [], role, parent: parent.number };
    },
    endSection({ number, kids, role, parent }) {
      objects.write(number, `<</S/${role}/P ${parent} 0 R/K[${references(kids)}]>>`);
    },
    reservePages(count) {
      const reserved = Array.from({ length: count }, objects.reserve);
      pages.unshift(...reserved);
      return reserved;
    },
    page(reserved) {
      const number = reserved ?? objects.reserve();
      if (reserved === undefined) pages.push(number);
      return createPage(objects, { number, pageTree, fontList, pageMarks });
    },
    pageCount: () => pages.length,
    finish() {
      for (const font of fonts) font.finish();
      const names = fonts.map((font) => `/${font.name} ${font.number} 0 R`).join("");
      objects.write(fontList, `<<${names}>>`);
      objects.write(pageTree, `<</Type/Pages/Count ${pages.length}/Kids[${references(pages)}]>>`);
      objects.write(documentElement, `<</S/Document/P ${structure} 0 R/K[${references(sections)}]>>`);
      objects.write(parentTree, `<</Nums[${pageMarks.map((list, i) => `${i} ${list} 0 R`).join(" ")}]>>`);
      objects.write(
        structure,
        `<</Type/StructTreeRoot/K ${documentElement} 0 R/ParentTree ${parentTree} 0 R/ParentTreeNextKey ${pageMarks.length}>>`,
      );
      writeFacts(objects, { info, metadata }, input);
      objects.write(
        catalog,
        `<</Type/Catalog/Pages ${pageTree} 0 R/Lang${pdfText(input.language)}/MarkInfo<</Marked true>>/StructTreeRoot ${structure} 0 R/Metadata ${metadata} 0 R/ViewerPreferences<</DisplayDocTitle true>>>>`,
      );
      return objects.finish({ root: catalog, info, id: input.id });
    },
  };
}

function createPage(
  objects: PdfObjects,
  page: { number: number; pageTree: number; fontList: number; pageMarks: number[] },
): PdfPage {
  const { number, pageTree, fontList, pageMarks } = page;
  const marks: number[] = [];
  const used = new Set<number>();
  let content = "";
  return {
    tag(section, role, operators, words) {
      const element = objects.reserve();
      content += `/${role}<</MCID ${marks.length}>>BDC\n${operators}EMC\n`;
      const alternative = words === undefined ? "" : `/Alt${pdfText(words)}`;
      const scope = role === "TH" ? "/A<</O/Table/Scope/Column>>" : "";
      objects.write(
        element,
        `<</S/${role}/P ${section.number} 0 R/Pg ${number} 0 R/K ${marks.length}${alternative}${scope}>>`,
      );
      marks.push(element);
      section.kids.push(element);
    },
    artifact(operators) {
      content += `/Artifact BMC\n${operators}EMC\n`;
    },
    draw(what, box) {
      used.add(what.number);
      const [a, b, c, d, e, f] = at(TURNS, (what.orientation ?? UPRIGHT) - 1);
      const [width, height] = [box.width / what.width, box.height / what.height];
      const matrix = [a * width, b * height, c * width, d * height, box.x + e * width, box.y + f * height];
      const numbers = matrix.map((value) => String(Math.round(value * 1e5) / 1e5));
      return `q ${numbers.join(" ")} cm/X${what.number} Do Q\n`;
    },
    end() {
      const stream = objects.reserve();
      objects.packed(stream, "", content);
      const list = objects.reserve();
      objects.write(list, `[${marks.map((mark) => `${mark} 0 R`).join(" ")}]`);
      const names = [...used].map((one) => `/X${one} ${one} 0 R`).join("");
      objects.write(
        number,
        `<</Type/Page/Parent ${pageTree} 0 R/MediaBox[0 0 ${PAGE.width} ${PAGE.height}]/Resources<</Font ${fontList} 0 R/XObject<<${names}>>>>/Contents ${stream} 0 R/StructParents ${pageMarks.length}/Tabs/S>>`,
      );
      pageMarks.push(list);
    },
  };
}

/** Embeds an image unchanged, with its transparency as a mask. */
function embedImage(objects: PdfObjects, bytes: Uint8Array, type: string): PdfPicture {
  const { width, height, orientation = UPRIGHT, entries, data, mask } = pdfImage(bytes, type);
  const number = objects.reserve();
  let masked = "";
  if (mask) {
    const shape = objects.reserve();
    objects.stream(shape, `/Subtype/Image${mask.entries}`, mask.data);
    masked = `/SMask ${shape} 0 R`;
  }
  objects.stream(number, `/Subtype/Image${entries}${masked}`, data);
  const aspect = orientation >= FIRST_SIDEWAYS ? height / width : width / height;
  return { number, width: 1, height: 1, orientation, aspect };
}

/** Writes the information dictionary, and the same facts as XMP. */
function writeFacts(
  objects: PdfObjects,
  { info, metadata }: { info: number; metadata: number },
  facts: PdfFacts,
): void {
  const made = pdfDate(facts.createdAt);
  objects.write(
    info,
    `<</Title${pdfText(facts.title)}/Producer${pdfText(facts.producer)}/CreationDate(${made})/ModDate(${made})>>`,
  );
  // Not compressed, so that programs without PDF support find it too.
  const xmp = new TextEncoder().encode(xmpPacket(facts));
  objects.stream(metadata, "/Type/Metadata/Subtype/XML", [xmp]);
}

function references(numbers: readonly number[]): string {
  return numbers.map((number) => `${number} 0 R`).join(" ");
}

function pdfDate(at: number): string {
  return `D:${new Date(at).toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
}
