// The two spellings of each namespace: the one that all programs write, and the "strict" one that Excel offers.

export const SPREADSHEET = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
] as const;

export const CONTENT_TYPES = ['http://schemas.openxmlformats.org/package/2006/content-types'] as const;

export const RELATIONSHIPS = ['http://schemas.openxmlformats.org/package/2006/relationships'] as const;
