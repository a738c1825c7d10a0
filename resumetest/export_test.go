package resumetest

// Tear is what half-way does to a file.
var Tear = tear
