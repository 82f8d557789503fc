// Many cells as one picture: the chart library would keep each mark by itself, and thousands of them take too long to
// move. A series has one item, which spans all cells and is drawn as a picture of them.
import type { EChartsType, Option } from "./echarts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// The chart's own coordinates, in pixels.
export interface Api {
  coord: (point: number[]) => number[];
  size: (extent: number[]) => number[];
}

export type Paint = (context: CanvasRenderingContext2D, api: Api, box: Box) => void;

// `item` spans the axes as `encode` says; `paint` is clipped to them, and called whenever they change.
export function cellSeries(item: number[], encode: Option, paint: Paint): Option {
  const canvas = document.createElement("canvas");
  return {
    type: "custom", id: "cells", data: [item], encode,
    renderItem: ({ coordSys }: { coordSys: Box }, api: Api) => picture(canvas, coordSys, (context) => paint(context, api, coordSys)),
  };
}

function picture(canvas: HTMLCanvasElement, box: Box, paint: (context: CanvasRenderingContext2D) => void): Option | null {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.max(1, Math.round(box.width * ratio)), Math.max(1, Math.round(box.height * ratio))];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  const [x, y] = [width / Math.max(1, box.width), height / Math.max(1, box.height)];
  context.setTransform(x, 0, 0, y, -x * box.x, -y * box.y);
  context.clearRect(box.x, box.y, box.width, box.height);
  paint(context);
  return { type: "image", style: { image: canvas, x: box.x, y: box.y, width: box.width, height: box.height } };
}

// The cells of a chart that has one picture of them: which one the pointer means, and all of them for tests.
export class Cells {
  private chart: EChartsType | null = null;
  private at: [number, number] = [0, 0];

  follow(chart: EChartsType, cells: () => number[][]): void {
    this.chart = chart;
    (chart.getDom() as unknown as { cells: () => number[][] }).cells = cells;
    chart.getZr().on("mousemove", (event: { offsetX: number; offsetY: number }) => { this.at = [event.offsetX, event.offsetY]; });
  }
  // Where the pointer is, in the chart's own coordinates.
  pointed(): [number, number] {
    const found = this.chart?.convertFromPixel({ gridIndex: 0 }, this.at) as number[] | undefined;
    return [found?.[0] ?? NaN, found?.[1] ?? NaN];
  }
}
