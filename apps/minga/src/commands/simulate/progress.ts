/** On a terminal only: the report itself is the output. */
export function progressLine(what: string): (done: number, total: number) => void {
  return (done, total) => {
    if (!process.stderr.isTTY) return
    process.stderr.write(`\r${done} of ${total} ${what}${done === total ? '\n' : ''}`)
  }
}
