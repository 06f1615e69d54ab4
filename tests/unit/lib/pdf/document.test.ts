import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createPdf } from "#app/lib/pdf/document.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { pngFile } from "../../../support/png.ts";
import { fontOf, objectsOf, tablesOf } from "./samples.ts";

const created = (more: { title?: string } = {}) => {
  const parts: Uint8Array[] = [];
  const pdf = createPdf({
    write: (bytes) => parts.push(bytes.slice()),
    title: "Report",
    language: "en-US",
    producer: "Odin",
    createdAt: Date.UTC(2026, 10, 20, 14, 3, 7, 250),
    id: Uint8Array.from({ length: 16 }, (_, i) => i * 16 + i),
    ...more,
  });
  const finished = () => {
    pdf.finish();
    const { objects, trailer } = objectsOf(Buffer.concat(parts));
    /** The entries of a packed stream, and its content. */
    const unpacked = (number: number) => {
      const text = objects.get(number) ?? "";
      const [head = ""] = /^.*?\/Filter\/FlateDecode /.exec(text) ?? [];
      return [head, inflateSync(Buffer.from(text.slice(head.length), "latin1")).toString("latin1")];
    };
    return { objects, trailer, unpacked };
  };
  return { pdf, finished };
};

describe("a tagged PDF", () => {
  it("has pages, their content in reading order, and a tree of what each part is", () => {
    const { pdf, finished } = created();
    // Objects 1 to 8 are those of every file.
    expect(pdf.reservePages(2)).toEqual([9, 10]);
    const section = pdf.section();
    const first = pdf.section("first");
    const drawing = pdf.drawing({ width: 200, height: 50.126 });
    expect(drawing).toEqual({ number: 13, width: 200, height: 50.126 });
    expect(pdf.drawing({ width: 1, height: 2 }, "known\n").number).toBe(14);
    const page = pdf.page();
    page.tag(section, "H1", "heading\n");
    page.tag(section, "Figure", "figure\n", "A (picture)");
    const table = pdf.group(section, "Table");
    const row = pdf.group(table, "TR");
    page.tag(row, "TH", "cell\n");
    page.artifact("line\n");
    expect(page.draw(drawing, { x: 10, y: 20.123456, width: 100, height: 25.063 })).toBe(
      "q 0.5 0 0 0.5 10 20.12346 cm/X13 Do Q\n",
    );
    page.draw(drawing, { x: 0, y: 0, width: 1, height: 1 });
    page.end();
    for (const part of [row, table, section, first]) pdf.endSection(part);
    for (const reserved of [9, 10]) pdf.page(reserved).end();
    expect(pdf.pageCount()).toBe(3);
    pdf.redraw(drawing, "later\n");

    const { objects, trailer, unpacked } = finished();
    const pageText = (xObjects: string, stream: number, marks: number) =>
      `<</Type/Page/Parent 3 0 R/MediaBox[0 0 612 792]/Resources<</Font 7 0 R/XObject<<${xObjects}>>>>/Contents ${stream} 0 R/StructParents ${marks}/Tabs/S>>`;
    expect(Object.fromEntries(objects)).toMatchObject({
      3: "<</Type/Pages/Count 3/Kids[9 0 R 10 0 R 15 0 R]>>",
      4: "<</Type/StructTreeRoot/K 5 0 R/ParentTree 6 0 R/ParentTreeNextKey 3>>",
      5: "<</S/Document/P 4 0 R/K[12 0 R 11 0 R]>>",
      6: "<</Nums[0 22 0 R 1 24 0 R 2 26 0 R]>>",
      7: "<<>>",
      9: pageText("", 23, 1),
      10: pageText("", 25, 2),
      11: "<</S/Sect/P 5 0 R/K[16 0 R 17 0 R 18 0 R]>>",
      12: "<</S/Sect/P 5 0 R/K[]>>",
      15: pageText("/X13 13 0 R", 21, 0),
      16: "<</S/H1/P 11 0 R/Pg 15 0 R/K 0>>",
      17: "<</S/Figure/P 11 0 R/Pg 15 0 R/K 1/Alt(A \\(picture\\))>>",
      18: "<</S/Table/P 11 0 R/K[19 0 R]>>",
      19: "<</S/TR/P 18 0 R/K[20 0 R]>>",
      20: "<</S/TH/P 19 0 R/Pg 15 0 R/K 2/A<</O/Table/Scope/Column>>>>",
      22: "[16 0 R 17 0 R 20 0 R]",
      24: "[]",
    });
    expect(unpacked(21)).toEqual([
      "/Filter/FlateDecode ",
      "/H1<</MCID 0>>BDC\nheading\nEMC\n/Figure<</MCID 1>>BDC\nfigure\nEMC\n/TH<</MCID 2>>BDC\ncell\nEMC\n/Artifact BMC\nline\nEMC\n",
    ]);
    expect(unpacked(23)[1]).toBe("");
    const form = (width: number, height: number) =>
      `/Type/XObject/Subtype/Form/BBox[0 0 ${width} ${height}]/Resources<</Font 7 0 R>>/Filter/FlateDecode `;
    expect(unpacked(13)).toEqual([form(200, 50.13), "later\n"]);
    expect(unpacked(14)).toEqual([form(1, 2), "known\n"]);
    expect(trailer).toContain("/Root 1 0 R/Info 2 0 R/ID[<00112233445566778899AABBCCDDEEFF>");
  });

  it("has its facts for programs, with and without support of PDF", () => {
    const { finished } = created({ title: `A & B <"é"> 'x' \u0001\ud800` });
    const { objects } = finished();
    expect(objects.get(1)).toBe(
      "<</Type/Catalog/Pages 3 0 R/Lang(en-US)/MarkInfo<</Marked true>>/StructTreeRoot 4 0 R/Metadata 8 0 R/ViewerPreferences<</DisplayDocTitle true>>>>",
    );
    expect(objects.get(2)).toBe(
      "<</Title<FEFF004100200026002000420020003C002200E90022003E002000270078002700200001D800>/Producer(Odin)/CreationDate(D:20261120140307Z)/ModDate(D:20261120140307Z)>>",
    );
    const xmp = Buffer.from(objects.get(8) ?? "", "latin1").toString();
    expect(xmp).toBe(`/Type/Metadata/Subtype/XML <?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">A &amp; B &lt;&quot;é&quot;&gt; &#39;x&#39; \uFFFD\uFFFD</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>en-US</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>2026-11-20T14:03:07.250Z</xmp:CreateDate>
<xmp:ModifyDate>2026-11-20T14:03:07.250Z</xmp:ModifyDate>
<xmp:MetadataDate>2026-11-20T14:03:07.250Z</xmp:MetadataDate>
<pdf:Producer>Odin</pdf:Producer>
<xmpMM:DocumentID>uuid:00112233-4455-6677-8899-aabbccddeeff</xmpMM:DocumentID>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`);
  });

  it("has fonts and images, each with its mask", () => {
    const { pdf, finished } = created();
    const fonts = ["F1", "F2"].map((name) => pdf.font(name, openFont(fontOf(tablesOf())), "Sample"));
    expect(fonts.map(({ name, number }) => [name, number])).toEqual([
      ["F1", 9],
      ["F2", 10],
    ]);
    const png = (color: number, pixels: number[]) => {
      const header = Buffer.alloc(13);
      header.writeUInt32BE(4);
      header.writeUInt32BE(2, 4);
      header.set([8, color], 8);
      return pngFile([
        ["IHDR", header],
        ["IDAT", deflateSync(Buffer.from(pixels))],
        ["IEND", Buffer.alloc(0)],
      ]);
    };
    const gray = pdf.image(png(0, [0, 1, 2, 3, 4, 0, 5, 6, 7, 8]), "image/png");
    expect(gray).toEqual({ number: 11, width: 1, height: 1, aspect: 2, orientation: 1 });
    const transparent = png(4, [0, 1, 11, 2, 12, 3, 13, 4, 14, 0, 5, 15, 6, 16, 7, 17, 8, 18]);
    expect(pdf.image(transparent, "image/png").number).toBe(12);
    const { objects } = finished();
    expect(objects.get(7)).toBe("<</F1 9 0 R/F2 10 0 R>>");
    for (const number of [9, 10]) expect(objects.get(number)).toContain("/Type/Font/Subtype/Type0");
    const samples =
      "/Width 4/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 1/BitsPerComponent 8/Columns 4>>";
    const contentOf = (number: number, entries: string) => {
      const text = objects.get(number) ?? "";
      expect(text.startsWith(`${entries} `)).toBe(true);
      return [...inflateSync(Buffer.from(text.slice(entries.length + 1), "latin1"))];
    };
    expect(contentOf(11, `/Subtype/Image${samples}`)).toEqual([0, 1, 2, 3, 4, 0, 5, 6, 7, 8]);
    expect(contentOf(12, `/Subtype/Image${samples}/SMask 13 0 R`)).toEqual([0, 1, 2, 3, 4, 0, 5, 6, 7, 8]);
    expect(contentOf(13, `/Subtype/Image${samples}`)).toEqual([0, 11, 12, 13, 14, 0, 15, 16, 17, 18]);
  });
});
