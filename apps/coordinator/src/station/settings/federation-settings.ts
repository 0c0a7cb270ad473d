/** Settings of what collections of other stations of a federation may do here. */
import { whole, wholeOrNone } from './setting-kinds.ts'

const NEXT_NEWS = 'for collections that are received or changed from then on'

export const FEDERATION_SETTINGS = {
  foreignDelayMs: whole({
    // As short as a delay gets that adapts to a site that copes.
    default: 250,
    unit: 'ms',
    min: 0,
    max: 86_400_000,
    about:
      'Shortest pause between two requests to a host for collections of other stations of the federation.',
    holds: NEXT_NEWS,
  }),
  foreignPagesMax: wholeOrNone({
    default: 1_000_000,
    unit: 'pages',
    min: 1,
    max: 1_000_000_000_000,
    about: 'Pages of one collection of another station of the federation that are fetched here.',
    holds: NEXT_NEWS,
  }),
  foreignBytesMax: wholeOrNone({
    default: 100_000_000_000,
    unit: 'bytes',
    min: 1,
    max: 1_000_000_000_000_000,
    about: 'Bytes of one collection of another station of the federation that are fetched here.',
    holds: NEXT_NEWS,
  }),
}
